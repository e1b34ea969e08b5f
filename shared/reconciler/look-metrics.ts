import { Counter, type Registry } from 'prom-client'
import type { ReconcileOutcome } from './reconcile-outcome.ts'

/** Counts how keys were looked at: where a hint said that looking suffices, or as a whole and why. */
export function createLookMetrics(registry: Registry): (outcome: Pick<ReconcileOutcome, 'doubt'>) => void {
  const looks = new Counter({
    name: 'sliceflow_looks_total',
    help: 'Keys brought up to date, by what was read: a part of the Service (part), or all of it (whole) and why',
    labelNames: ['scope', 'doubt'],
    registers: [registry],
  })
  return ({ doubt }) => looks.inc({ scope: doubt === undefined ? 'part' : 'whole', doubt: doubt ?? '' })
}
