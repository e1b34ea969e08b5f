import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../values/index.ts'
import type { WantedCondition } from '../merging/merged-service.ts'
import type { Condition } from '../resources.ts'
import { CONDITION_UNREACHABLE } from '../well-known.ts'

/** Types of the Multi-Cluster Services API, and our own; conditions of other types belong to others. */
const OWN_TYPES: readonly string[] = ['Valid', 'Ready', 'Conflict', CONDITION_UNREACHABLE]

/** Returns the condition of a type, whatever a cluster sent in the place of conditions. */
export const conditionIn = (existing: unknown, type: string): Condition | undefined =>
  conditionsIn(existing).find((condition) => condition.type === type)

interface ConditionTime {
  /** The object's `metadata.generation` that the wanted conditions are about; undefined where it has none. */
  readonly generation: number | undefined
  /** RFC 3339. */
  readonly now: string
}

/**
 * Returns the conditions of an object with all wanted ones; undefined where they say so already. Conditions
 * of the API that are no longer wanted go, conditions of others stay, and all keep their places. The time of
 * the last transition changes with the status alone.
 */
export function withConditions(
  existing: readonly Condition[] | undefined,
  wantedConditions: readonly WantedCondition[],
  time: ConditionTime,
): Condition[] | undefined {
  const before = conditionsIn(existing)
  const open = new Map(wantedConditions.map((wanted) => [wanted.type, wanted]))
  const kept = before.flatMap((condition) => {
    const wanted = open.get(condition.type)
    if (wanted === undefined) return OWN_TYPES.includes(condition.type) ? [] : [condition]
    open.delete(condition.type)
    return [conditionOf(wanted, condition, time)]
  })
  const conditions = [...kept, ...Array.from(open.values(), (wanted) => conditionOf(wanted, undefined, time))]
  return isDeepStrictEqual(conditions, before) ? undefined : conditions
}

function conditionOf(
  { type, status, reason, message }: WantedCondition,
  before: Condition | undefined,
  { generation, now }: ConditionTime,
): Condition {
  const isSame = before?.status === status && isTime(before.lastTransitionTime)
  return {
    type,
    status,
    ...(generation !== undefined && { observedGeneration: generation }),
    lastTransitionTime: isSame ? before.lastTransitionTime : now,
    reason,
    message,
  }
}

const conditionsIn = (existing: unknown): Condition[] =>
  Array.isArray(existing) ? existing.filter((value): value is Condition => isRecord(value)) : []
const isTime = (value: unknown): value is string => typeof value === 'string' && value !== ''
