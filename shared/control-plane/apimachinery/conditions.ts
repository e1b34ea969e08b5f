import type { JsonObject } from './json/exact-numbers.ts'
import { objectAt, objectsAt } from './json/values.ts'
import { type KubeObject, timestamp } from './objects.ts'

/** One of `status.conditions`, without its time. */
interface ConditionContent extends JsonObject {
  type: string
  status: string
}

/** Returns the condition of a type; undefined if the object has none. */
export function conditionOf(object: KubeObject, type: string): JsonObject | undefined {
  return objectsAt(objectAt(object, 'status'), 'conditions').find((condition) => condition.type === type)
}

/** Returns the object with the condition in place of that of its type. Its time changes with its status. */
export function withCondition<Content extends ConditionContent>(
  object: KubeObject,
  condition: Content,
  now: number,
): KubeObject {
  const status = objectAt(object, 'status')
  const conditions = objectsAt(status, 'conditions')
  const before = conditionOf(object, condition.type)
  const since = before?.status === condition.status && before.lastTransitionTime
  const { type, status: value, ...others } = condition
  const made = { type, status: value, lastTransitionTime: since || timestamp(now), ...others }
  const next = before
    ? conditions.map((known) => (known.type === type ? made : known))
    : [...conditions, made]
  return { ...object, status: { ...status, conditions: next } }
}
