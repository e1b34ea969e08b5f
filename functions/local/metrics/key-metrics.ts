import { Counter, Histogram, type Registry } from 'prom-client'
import { delayOf, type ReconcileOutcome } from '../../../shared/reconciler/index.ts'

/** Metrics of keys that the deployed function has as well: how late their slices are, and which fail. */
export interface KeyMetrics {
  reconciled(outcome: ReconcileOutcome): void
  failed(cluster: string): void
}

/**
 * Buckets in seconds, as Kubernetes writes times in whole ones; the alarm's target of 10 s is one of them.
 */
const DELAY_BUCKETS = [0.5, 1, 2, 3, 5, 10, 20, 30, 60, 120, 300, 600]

export function createKeyMetrics(registry: Registry, now: () => number = Date.now): KeyMetrics {
  const registers = [registry]
  const delays = new Histogram({
    name: 'sliceflow_event_to_applied_seconds',
    help: 'From the change of an object, which Kubernetes gives in whole seconds, to the slices written',
    buckets: DELAY_BUCKETS,
    registers,
  })
  const failures = new Counter({
    name: 'sliceflow_failed_keys_total',
    help: 'Keys that could not be brought up to date; each went back to the queue',
    labelNames: ['cluster'],
    registers,
  })
  return {
    reconciled(outcome) {
      failures.inc({ cluster: outcome.key.cluster }, 0)
      const seconds = delayOf(outcome, now())
      if (seconds !== undefined) delays.observe(seconds)
    },
    failed: (cluster) => failures.inc({ cluster }),
  }
}
