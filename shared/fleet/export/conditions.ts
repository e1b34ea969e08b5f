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
  const open = new Map(wantedConditions.map((wantedCondition) => [wantedCondition.type, wantedCondition]))
  let isChanged = false
  const conditions: Condition[] = []
  for (const condition of conditionsIn(existing)) {
    const wantedCondition = open.get(condition.type)
    if (wantedCondition !== undefined) {
      open.delete(wantedCondition.type)
      isChanged ||= !isSaid(condition, wantedCondition, time)
      conditions.push(conditionOf(wantedCondition, condition, time))
    } else if (OWN_TYPES.includes(condition.type)) isChanged = true
    else conditions.push(condition)
  }
  for (const wantedCondition of open.values()) conditions.push(conditionOf(wantedCondition, undefined, time))
  return isChanged || open.size > 0 ? conditions : undefined
}

const isSaid = (
  condition: Condition,
  wantedCondition: WantedCondition,
  { generation }: ConditionTime,
): boolean =>
  condition.status === wantedCondition.status &&
  condition.reason === wantedCondition.reason &&
  condition.message === wantedCondition.message &&
  condition.observedGeneration === generation &&
  isTime(condition.lastTransitionTime)

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
