import { isDeepStrictEqual } from 'node:util'
import type { WantedCondition } from '../export/index.ts'
import { timeText, withConditions } from '../export/index.ts'
import type { ServiceImport } from '../resources.ts'
import { CONDITION_UNREACHABLE } from '../well-known.ts'

/** An import with a part that is stale is still one to use. */
const readyCondition = (isStale: boolean): WantedCondition => ({
  type: 'Ready',
  status: 'True',
  reason: 'Ready',
  message: isStale
    ? 'the import is up to date, except for what clusters export that cannot be read'
    : 'the import is up to date',
})

export interface ImportFindings {
  /** Ids of the clusters that export, sorted. */
  readonly clusters: readonly string[]
  /** Conditions of the import; it is ready unless one of them says otherwise. */
  readonly wantedConditions: readonly WantedCondition[]
}

/**
 * Returns the ServiceImport with its status; undefined where it is right already.
 * @param now milliseconds since the epoch
 */
export function importStatusUpdate(
  existing: ServiceImport,
  { clusters, wantedConditions }: ImportFindings,
  now: number,
): ServiceImport | undefined {
  const { status = {}, metadata } = existing
  const time = { generation: metadata?.generation, now: timeText(now) }
  const ready = readyCondition(wantedConditions.some(({ type }) => type === CONDITION_UNREACHABLE))
  const all = wantedConditions.some(({ type }) => type === 'Ready')
    ? wantedConditions
    : [ready, ...wantedConditions]
  const conditions = withConditions(status.conditions, all, time)
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
