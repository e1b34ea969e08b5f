import { numberAt, objectAt } from '../../apimachinery/json/index.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'

const precedenceOf = (schema: KubeObject): number =>
  numberAt(objectAt(schema, 'spec'), 'matchingPrecedence') ?? 0

/**
 * The order in which flow schemas are tried; those of the same precedence stay in the order of their names,
 * as lists are.
 */
export const byPrecedence = (a: KubeObject, b: KubeObject): number => precedenceOf(a) - precedenceOf(b)
