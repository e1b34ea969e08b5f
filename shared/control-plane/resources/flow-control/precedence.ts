import { numberAt, objectAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'

const precedenceOf = (schema: KubeObject): number =>
  numberAt(objectAt(schema, 'spec'), 'matchingPrecedence') ?? 0

/** Compares flow schemas by the order of trying them: precedence, and then names as in lists. */
export const byPrecedence = (a: KubeObject, b: KubeObject): number => precedenceOf(a) - precedenceOf(b)
