import type { Registry } from 'prom-client'
import type { Compared } from '../../../shared/reconciler/index.ts'
import type { NewLatest } from '../latest-by-key.ts'
import { metricsOf } from './metrics-of.ts'

/**
 * Creates the metrics of a shadow, all of which begin with `sliceflow_shadow_`. They remember one entry for
 * each Service that was compared.
 * @returns a function to call with every comparison
 */
export function createShadowMetrics(registry: Registry, latest: NewLatest): (compared: Compared) => void {
  const { counter, filledGauge } = metricsOf(registry)
  const services = latest<Compared>()
  const comparisons = counter(
    'sliceflow_shadow_comparisons_total',
    'Services compared with what their cluster has, by result',
    ['result'],
  )
  filledGauge(
    'sliceflow_shadow_services',
    'Services by the result of their latest comparison',
    ['result'],
    (gauge) => {
      for (const result of ['same', 'different', 'invalid']) gauge.set({ result }, 0)
      for (const { result } of services.values()) gauge.inc({ result })
    },
  )
  filledGauge(
    'sliceflow_shadow_differences',
    'Endpoints that differ now, by what differs',
    ['kind'],
    (gauge) => {
      for (const { differences } of services.values())
        for (const [kind, count] of differences) gauge.inc({ kind }, count)
    },
  )
  return (compared) => {
    const { key, result } = compared
    comparisons.inc({ result })
    services.set(key, result === 'unmanaged' ? undefined : compared)
  }
}
