import { isDeepStrictEqual } from 'node:util'
import { withConditions } from './conditions.ts'
import { timeText } from './export-status.ts'
import type { ServiceImport } from './resources.ts'

const READY = [
  { type: 'Ready', status: 'True', reason: 'Ready', message: 'the import is up to date' },
] as const

/**
 * Returns the ServiceImport with its status; undefined where it is right already.
 * @param clusters ids of the clusters that export, sorted
 * @param now milliseconds since the epoch
 */
export function importStatusUpdate(
  existing: ServiceImport,
  clusters: readonly string[],
  now: number,
): ServiceImport | undefined {
  const { status = {}, metadata } = existing
  const time = { generation: metadata?.generation, now: timeText(now) }
  const conditions = withConditions(status.conditions, READY, time)
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
