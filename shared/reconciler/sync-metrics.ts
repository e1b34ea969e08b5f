import { Counter, type Registry } from 'prom-client'
import type { ReconcileOutcome } from './reconcile-outcome.ts'

// Apart from what the function bundles, as prom-client is large.

/** Counts how keys were synced: hinted, or full and why. */
export function createSyncMetrics(
  registry: Registry,
): (outcome: Pick<ReconcileOutcome, 'fullSyncReason'>) => void {
  const syncs = new Counter({
    name: 'sliceflow_syncs_total',
    help: 'Keys brought up to date, by what was read: a part of the Service (part), or all of it (whole) and why',
    labelNames: ['scope', 'fullSyncReason'],
    registers: [registry],
  })
  return ({ fullSyncReason }) =>
    syncs.inc({
      scope: fullSyncReason === undefined ? 'part' : 'whole',
      fullSyncReason: fullSyncReason ?? '',
    })
}
