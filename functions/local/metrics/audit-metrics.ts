import { Counter, type Registry } from 'prom-client'
import type { ReconcileOutcome } from '../../../shared/reconciler/index.ts'

/** Counts the keys that the full audit sends, syncs and corrects. */
export interface AuditMetrics {
  sent(cluster: string, keys: number): void
  /** Takes every key that was brought up to date. */
  reconciled(outcome: ReconcileOutcome): void
}

export function createAuditMetrics(registry: Registry): AuditMetrics {
  const registers = [registry]
  const labelNames = ['cluster'] as const
  const keys = new Counter({
    name: 'sliceflow_audit_keys_total',
    help: 'Keys that the full audit sent in their turn',
    labelNames,
    registers,
  })
  const syncs = new Counter({
    name: 'sliceflow_audit_syncs_total',
    help: 'Keys of the full audit that were reconciled',
    labelNames,
    registers,
  })
  const findings = new Counter({
    name: 'sliceflow_audit_findings_total',
    help: 'Number of keys for which the audit had to write, as the relay had missed a change; should be 0',
    labelNames,
    registers,
  })
  return {
    sent: (cluster, count) => keys.inc({ cluster }, count),
    reconciled({ key: { audit, cluster }, isFinding }) {
      if (!audit) return
      syncs.inc({ cluster })
      findings.inc({ cluster }, isFinding ? 1 : 0)
    },
  }
}
