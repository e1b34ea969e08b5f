import { type FleetSummary, isBlocked } from '../reconciler/index.ts'
import type { Merge } from './export/index.ts'
import type { ImportOutcome } from './import/index.ts'

/** Counts what a sync has found, for metrics. */
export function fleetSummary(
  { merged, wantedConditions }: Merge,
  outcomes: ReadonlyMap<string, ImportOutcome>,
): FleetSummary {
  const all = [...outcomes.values()]
  const isInConflict = [...wantedConditions.values()]
    .flat()
    .some(({ type, status }) => type === 'Conflict' && status === 'True')
  return {
    exports: merged?.clusters.length ?? 0,
    imports: all.filter(({ state, problem }) => state.import !== undefined && problem === undefined).length,
    isInConflict,
    // Objects of others are in nobody's way while nothing is to be imported.
    blocked: all.filter(
      ({ problem, findings }) => (merged !== undefined && problem !== undefined) || isBlocked(findings),
    ).length,
    // Each cluster leaves out the same.
    leftOut: Math.max(0, ...all.map((outcome) => outcome.leftOut ?? 0)),
  }
}
