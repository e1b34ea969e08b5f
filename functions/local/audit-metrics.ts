import { Counter, type Registry } from 'prom-client'
import type { ReconcileOutcome } from '../../shared/reconciler/index.ts'

/** Counts what the full audit looks at and finds. @returns what is to be told of every key that was brought up to date */
export function createAuditMetrics(registry: Registry): (outcome: ReconcileOutcome) => void {
  const registers = [registry]
  const labelNames = ['cluster'] as const
  const looks = new Counter({
    name: 'sliceflow_audit_looks_total',
    help: 'Keys of the full audit that were looked at',
    labelNames,
    registers,
  })
  const findings = new Counter({
    name: 'sliceflow_audit_findings_total',
    help: 'Those of them where something was to be written that the relay did not know of; to be 0',
    labelNames,
    registers,
  })
  return ({ key: { audit, cluster }, isFinding }) => {
    if (!audit) return
    looks.inc({ cluster })
    findings.inc({ cluster }, isFinding ? 1 : 0)
  }
}
