import type { EmfMetrics } from '../../shared/telemetry/index.ts'

/** The metrics of the deployed audit function; the dashboard of infra/ is made of these names. */
export const AUDIT_METRICS = {
  /** Keys sent to the sweep lane. */
  keys: 'AuditKeys',
  /**
   * Calls that did not send every key of the cluster whose turn it was, of each cluster; each is tried twice
   * more.
   */
  failures: 'AuditFailures',
} as const

export interface AuditMetrics {
  sent(keys: number): void
  failed(cluster: string): void
  flush(): void
}

export const createAuditMetrics = (emf: EmfMetrics): AuditMetrics => ({
  sent: (keys) => emf.count(AUDIT_METRICS.keys, keys),
  failed: (cluster) => emf.count(AUDIT_METRICS.failures, 1, { Cluster: cluster }),
  flush: () => emf.flush(),
})
