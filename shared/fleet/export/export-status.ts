import { isDeepStrictEqual } from 'node:util'
import { listWithLimit } from '../faults.ts'
import type { WantedCondition } from '../merging/merged-service.ts'
import type { ServiceExport } from '../resources.ts'
import { ANNOTATION_EXPORT_TO } from '../well-known.ts'
import { conditionIn, withConditions } from './conditions.ts'

interface ExportFindings {
  /** Conditions by which the merge describes this export. */
  readonly wantedConditions: readonly WantedCondition[]
  /** Reasons why it is not imported everywhere, in words; empty where it is. */
  readonly problems: readonly string[]
  /** A cluster did not say what it exports. */
  readonly isPartial: boolean
  /** Ids of the clusters that import it. */
  readonly clusters: readonly string[]
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * Returns the ServiceExport with its conditions; undefined where they are right already. While the
 * exports of a cluster are unknown, so is whether there is a conflict: the condition `Conflict` stays as it
 * is.
 */
export function exportStatusUpdate(
  existing: ServiceExport,
  { wantedConditions, problems, isPartial, clusters, now }: ExportFindings,
): ServiceExport | undefined {
  const { status, metadata } = existing
  const isValid = wantedConditions.some(
    (wantedCondition) => wantedCondition.type === 'Valid' && wantedCondition.status === 'True',
  )
  const conflict = isPartial ? conditionIn(status?.conditions, 'Conflict') : undefined
  const own =
    conflict === undefined
      ? wantedConditions
      : [...wantedConditions.filter(({ type }) => type !== 'Conflict'), conflict]
  const time = { generation: metadata?.generation, now: timeText(now) }
  const ready = isValid ? readyCondition(problems) : NOT_VALID
  const conditions = withConditions(status?.conditions, [...own, ready], time)
  // Of an export that is for all of the set, the set says where it is.
  const isListed = metadata?.annotations?.[ANNOTATION_EXPORT_TO] !== undefined
  const listed = isListed ? clusters.map((cluster) => ({ cluster })) : undefined
  if (conditions === undefined && isDeepStrictEqual(status?.clusters, listed)) return undefined
  return {
    ...existing,
    status: { ...status, conditions: conditions ?? status?.conditions ?? [], clusters: listed },
  }
}

/** Formats a time in whole seconds, as metav1.Time does. */
export const timeText = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace(/\.\d+/, '')

const NOT_VALID: WantedCondition = {
  type: 'Ready',
  status: 'False',
  reason: 'Failed',
  message: 'the export is not valid',
}

function readyCondition(problems: readonly string[]): WantedCondition {
  if (problems.length === 0)
    return {
      type: 'Ready',
      status: 'True',
      reason: 'Exported',
      message: 'every cluster of the set that can be reached imports it',
    }
  return { type: 'Ready', status: 'False', reason: 'Failed', message: listWithLimit(problems, '; ') }
}
