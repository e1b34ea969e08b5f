import { isDeepStrictEqual } from 'node:util'
import { withConditions } from './conditions.ts'
import { timeText } from './export-status.ts'
import type { Verdict } from './export-verdict.ts'
import type { ServiceImport } from './resources.ts'

const READY = [
  { type: 'Ready', status: 'True', reason: 'Ready', message: 'the import is up to date' },
] as const

export interface ImportFindings {
  /** Ids of the clusters that export, sorted. */
  readonly clusters: readonly string[]
  /** Conditions beside the one that it is ready. */
  readonly verdicts: readonly Verdict[]
}

/**
 * Returns the ServiceImport with its status; undefined where it is right already.
 * @param now milliseconds since the epoch
 */
export function importStatusUpdate(
  existing: ServiceImport,
  { clusters, verdicts }: ImportFindings,
  now: number,
): ServiceImport | undefined {
  const { status = {}, metadata } = existing
  const time = { generation: metadata?.generation, now: timeText(now) }
  const conditions = withConditions(status.conditions, [...READY, ...verdicts], time)
  const wanted = clusters.map((cluster) => ({ cluster }))
  const isSame =
    conditions === undefined &&
    isDeepStrictEqual(status.clusters, wanted) &&
    status.endpointSliceObjects === 'Present'
  if (isSame) return undefined
  return {
    ...existing,
    status: {
      ...status,
      clusters: wanted,
      conditions: conditions ?? status.conditions ?? [],
      endpointSliceObjects: 'Present',
    },
  }
}
