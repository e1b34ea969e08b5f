export {
  AuditError,
  type AuditFailure,
  type AuditOptions,
  type AuditResult,
  auditSlot,
} from './audit.ts'
export { type AuditHandlerOptions, createAuditHandler } from './handler.ts'
export { type AuditMetrics, createAuditMetrics } from './metrics.ts'
export { type AuditPlace, type AuditSlots, createAuditSlots, SLOT_SECONDS } from './slots.ts'
