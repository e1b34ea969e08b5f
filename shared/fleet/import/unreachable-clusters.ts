import { labelName } from '../../kubernetes/index.ts'
import { conditionIn } from '../export/conditions.ts'
import type { FleetEvent } from '../fleet-events.ts'
import type { WantedCondition } from '../merging/merged-service.ts'
import type { ServiceImport } from '../resources.ts'
import { CONDITION_UNREACHABLE } from '../well-known.ts'

/** A cluster whose exports cannot be read. */
export interface Outage {
  /** RFC 3339. */
  readonly since: string
  /** What happens to its endpoints, in words. */
  readonly fate: string
}

/** Clusters whose exports cannot be read, by their ids. */
export type Outages = ReadonlyMap<string, Outage>

/** Maximum number of outages in a status: a condition's message has room for 32,768 characters. */
const MAX_REPORTED = 100
const BETWEEN = '; '
const PHRASE = ' cannot be read since '
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/

/**
 * Returns the condition of a ServiceImport that reports outages; none without one. It names each cluster and
 * the time, so that the next sync of any process knows which outages are known, and since when.
 */
export function outageConditions(outages: Outages): WantedCondition[] {
  if (outages.size === 0) return []
  const sentences = [...outages]
    .sort()
    .slice(0, MAX_REPORTED)
    .map(([id, { since, fate }]) => `${id}${PHRASE}${since}: ${fate}`)
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
 * Returns the times since when clusters cannot be read, by their ids, as a ServiceImport reports them. Others
 * may write its status: text that is no id or no time, and more ids than {@link MAX_REPORTED}, are ignored.
 */
export function reportedOutages(object: ServiceImport | undefined): ReadonlyMap<string, string> {
  const { message = '' } = conditionIn(object?.status?.conditions, CONDITION_UNREACHABLE) ?? {}
  const times = String(message)
    .split(BETWEEN)
    .flatMap((sentence): [string, string][] => {
      const [id = '', rest = ''] = sentence.split(PHRASE)
      const [since] = TIME.exec(rest) ?? []
      return since !== undefined && labelName(id).length === 0 ? [[id, since]] : []
    })
  return new Map(times.slice(0, MAX_REPORTED))
}

/** Returns the Events that a new status of a ServiceImport means: one for each outage that begins or ends. */
export function outageEvents(
  before: ServiceImport | undefined,
  after: ServiceImport,
  outages: Outages,
): FleetEvent[] {
  const [were, are] = [reportedOutages(before), reportedOutages(after)]
  const begun = [...are.keys()].filter((id) => !were.has(id))
  const over = [...were.keys()].filter((id) => !are.has(id))
  const { resourceVersion = '' } = after.metadata ?? {}
  return [
    ...begun.map(
      (id): FleetEvent => ({
        type: 'Warning',
        reason: 'ClusterUnreachable',
        message: `cluster ${id} cannot be read: ${outages.get(id)?.fate}`,
        occurrence: resourceVersion,
      }),
    ),
    ...over.map(
      (id): FleetEvent => ({
        type: 'Normal',
        reason: 'ClusterReachable',
        message: `cluster ${id} can be read again, or is no longer in the cluster set`,
        occurrence: resourceVersion,
      }),
    ),
  ]
}
