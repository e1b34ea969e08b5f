import { labelName } from '../kubernetes/index.ts'
import type { Verdict } from './export-verdict.ts'
import type { FleetEvent } from './fleet-events.ts'
import type { Condition, ServiceImport } from './resources.ts'
import { CONDITION_UNREACHABLE } from './well-known.ts'

/** Fate of the endpoints of clusters that cannot be reached, in words, by the clusters' ids. */
export type Outages = ReadonlyMap<string, string>

/** Outages that a status tells of at most: a condition's message has room for 32,768 characters. */
const MOST_TOLD = 100
const BETWEEN = '; '
const PHRASE = ' cannot be reached: '

/**
 * Returns the condition of a ServiceImport that tells of outages; none without one. It names each cluster, so
 * that the next look knows which outages have been told.
 */
export function outageVerdicts(outages: Outages): Verdict[] {
  if (outages.size === 0) return []
  const sentences = [...outages]
    .sort()
    .slice(0, MOST_TOLD)
    .map(([id, fate]) => `${id}${PHRASE}${fate}`)
  return [
    {
      type: CONDITION_UNREACHABLE,
      status: 'True',
      reason: 'ClusterUnreachable',
      message: sentences.join(BETWEEN),
    },
  ]
}

/**
 * Returns the ids of the clusters whose outage a ServiceImport tells of. Others may write its status: text
 * that is no id, and more ids than {@link MOST_TOLD}, count for nothing.
 */
export function toldOutages(object: ServiceImport | undefined): ReadonlySet<string> {
  const { message = '' } = conditionOf(object) ?? {}
  const sentences = String(message).split(BETWEEN)
  const ids = sentences.filter((each) => each.includes(PHRASE)).map((each) => each.split(PHRASE)[0] ?? '')
  return new Set(ids.filter((id) => labelName(id).length === 0).slice(0, MOST_TOLD))
}

/** Returns the Events that a new status of a ServiceImport means: one for each outage that begins or ends. */
export function outageEvents(
  before: ServiceImport | undefined,
  after: ServiceImport,
  outages: Outages,
): FleetEvent[] {
  const [were, are] = [toldOutages(before), toldOutages(after)]
  const begun = [...are].filter((id) => !were.has(id))
  const over = [...were].filter((id) => !are.has(id))
  const { resourceVersion = '' } = after.metadata ?? {}
  return [
    ...begun.map(
      (id): FleetEvent => ({
        type: 'Warning',
        reason: 'ClusterUnreachable',
        message: `cluster ${id} cannot be reached: ${outages.get(id)}`,
        occurrence: resourceVersion,
      }),
    ),
    ...over.map(
      (id): FleetEvent => ({
        type: 'Normal',
        reason: 'ClusterReachable',
        message: `cluster ${id} can be reached again, or is no longer in the cluster set`,
        occurrence: resourceVersion,
      }),
    ),
  ]
}

const conditionOf = (object: ServiceImport | undefined): Condition | undefined =>
  object?.status?.conditions?.find(({ type }) => type === CONDITION_UNREACHABLE)
