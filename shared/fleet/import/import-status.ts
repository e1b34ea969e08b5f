import { isDeepStrictEqual } from 'node:util'
import { withConditions } from '../export/conditions.ts'
import { timeText } from '../export/export-status.ts'
import type { WantedCondition } from '../merging/merged-service.ts'
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
  /** Clusters that each selector selects; undefined where there is no result. */
  readonly selected?: readonly (readonly string[])[] | undefined
}

/** Returns the clusters that the selectors of an import selected the last time; undefined for no result. */
export const selectedBefore = (existing: ServiceImport | undefined): string[][] | undefined => {
  const results: unknown = existing?.status?.clusterSelectorResults
  if (!Array.isArray(results)) return undefined
  return results.map(({ clusters = [] }: { clusters?: string[] }) =>
    Array.isArray(clusters) ? clusters : [],
  )
}

/**
 * Returns the ServiceImport with its status; undefined where it is right already.
 * @param now milliseconds since the epoch
 */
export function importStatusUpdate(
  existing: ServiceImport,
  { clusters, wantedConditions, selected }: ImportFindings,
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
    isDeepStrictEqual(selectedBefore(existing), selected) &&
    status.endpointSliceObjects === 'Present'
  if (isSame) return undefined
  const clusterSelectorResults = selected?.map((ids) => (ids.length === 0 ? {} : { clusters: [...ids] }))
  return {
    ...existing,
    status: {
      ...status,
      clusters: wanted,
      clusterSelectorResults,
      conditions: conditions ?? status.conditions ?? [],
      endpointSliceObjects: 'Present',
    },
  }
}
