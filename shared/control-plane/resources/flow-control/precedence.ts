import { numberAt, objectAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'

const precedenceOf = (schema: KubeObject): number =>
  numberAt(objectAt(schema, 'spec'), 'matchingPrecedence') ?? 0

/**
 * Compares flow schemas by the order in which they are tried. Those of the same precedence stay in the order
 * of their names, as in lists.
 */
export const byPrecedence = (a: KubeObject, b: KubeObject): number => precedenceOf(a) - precedenceOf(b)
