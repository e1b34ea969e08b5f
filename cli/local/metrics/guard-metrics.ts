import { Counter, Gauge, type Registry } from 'prom-client'
import { type KeyText, keyText, type ServiceKey } from '../../../shared/changes/index.ts'
import { GUARDS, type GuardMetric, type GuardSummary } from '../../../shared/reconciler/index.ts'

/** Counts what the guards do; of a gauge it remembers one entry a Service on which the guard acts. */
interface GuardMetrics {
  /** @param summary absent where there was no plan */
  reconciled(key: ServiceKey, summary: GuardSummary | undefined): void
  failed(key: ServiceKey, error: unknown): void
}

export function createGuardMetrics(registry: Registry): GuardMetrics {
  const metrics = GUARDS.flatMap(({ name: guard, metric }) =>
    metric === undefined ? [] : [{ guard, ...metric, count: COUNTS[metric.type](metric, [registry]) }],
  )
  return {
    reconciled(key, summary) {
      for (const { guard, count } of metrics) count(key, summary?.acted[guard] ?? 0)
    },
    failed(key, error) {
      for (const { ofFailure, count } of metrics) if (ofFailure?.(error)) count(key, 1)
    },
  }
}

type Count = (key: ServiceKey, value: number) => void

const COUNTS = {
  gauge({ name, help }: GuardMetric, registers: Registry[]): Count {
    const values = new Map<KeyText, number>()
    new Gauge({
      ...{ name, help, registers },
      collect() {
        this.set(values.values().reduce((sum, value) => sum + value, 0))
      },
    })
    return (key, value) => {
      if (value > 0) values.set(keyText(key), value)
      else values.delete(keyText(key))
    }
  },
  counter({ name, help, byCluster }: GuardMetric, registers: Registry[]): Count {
    const counter = new Counter({ name, help, registers, labelNames: byCluster ? ['cluster'] : [] })
    return ({ cluster }, value) => counter.inc(byCluster ? { cluster } : {}, value)
  },
}
