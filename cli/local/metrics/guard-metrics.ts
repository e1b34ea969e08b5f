import type { Registry } from 'prom-client'
import type { ServiceKey } from '../../../shared/changes/index.ts'
import { GUARDS, type GuardMetric, type GuardSummary } from '../../../shared/reconciler/index.ts'
import type { NewLatest } from '../latest-by-key.ts'
import { metricsOf } from './metrics-of.ts'

/** Counts what the guards do; of a gauge it remembers one entry a Service on which the guard acts. */
export function createGuardMetrics(registry: Registry, latest: NewLatest) {
  const metrics = GUARDS.flatMap(({ name: guard, metric }) =>
    metric === undefined ? [] : [{ guard, ...metric, count: COUNTS[metric.type](metric, registry, latest) }],
  )
  return {
    /** @param summary absent where there was no plan */
    reconciled(key: ServiceKey, summary: GuardSummary | undefined): void {
      for (const { guard, count } of metrics) count(key, summary?.acted[guard] ?? 0)
    },
    failed(key: ServiceKey, error: unknown): void {
      for (const { ofFailure, count } of metrics) if (ofFailure?.(error)) count(key, 1)
    },
  }
}

type Count = (key: ServiceKey, value: number) => void

const COUNTS = {
  gauge({ name, help }: GuardMetric, registry: Registry, latest: NewLatest): Count {
    const values = latest<number>()
    metricsOf(registry).filledGauge(name, help, [], (gauge) =>
      gauge.set(values.values().reduce((sum, value) => sum + value, 0)),
    )
    return (key, value) => values.set(key, value > 0 ? value : undefined)
  },
  counter({ name, help, byCluster }: GuardMetric, registry: Registry): Count {
    const counter = metricsOf(registry).counter(name, help, byCluster ? ['cluster'] : [])
    return ({ cluster }, value) => counter.inc(byCluster ? { cluster } : {}, value)
  },
}
