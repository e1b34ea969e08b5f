import type { EmfMetrics } from '../../shared/telemetry/index.ts'

/** The metrics of the deployed audit function; the dashboard of infra/ is made of these names. */
export const AUDIT_METRICS = {
  /** Keys sent to the sweep lane. */
  keys: 'AuditKeys',
  /** Calls that did not send all keys of the cluster that were due, by cluster; each is retried twice. */
  failures: 'AuditFailures',
} as const

export type AuditMetrics = ReturnType<typeof createAuditMetrics>

export const createAuditMetrics = (emf: EmfMetrics) => ({
  sent: (keys: number): void => emf.count(AUDIT_METRICS.keys, keys),
  failed: (cluster: string): void => emf.count(AUDIT_METRICS.failures, 1, { Cluster: cluster }),
  flush: (): void => emf.flush(),
})
