import type { EmfMetrics } from '../../shared/telemetry/index.ts'

/** The metrics of the deployed canary; the alarms of infra/ are made of these names. */
export const CANARY_METRICS = {
  /** Time from a change of the canary's Service to the slice that shows it, in all and for each cluster. */
  delay: 'CanaryDelay',
  /** Changes that no slice showed in time, or that could not be made, in all and of each cluster. */
  failures: 'CanaryFailures',
} as const

export type CanaryMetrics = ReturnType<typeof createCanaryMetrics>

export const createCanaryMetrics = (emf: EmfMetrics) => ({
  published(cluster: string, seconds: number): void {
    emf.observe(CANARY_METRICS.delay, 'Seconds', seconds)
    emf.observe(CANARY_METRICS.delay, 'Seconds', seconds, { Cluster: cluster })
  },
  failed(cluster: string): void {
    emf.count(CANARY_METRICS.failures)
    emf.count(CANARY_METRICS.failures, 1, { Cluster: cluster })
  },
  flush: (): void => emf.flush(),
})
