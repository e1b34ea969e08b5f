export { auditSlot, createAuditHandler } from './audit.ts'
export { createAuditMetrics } from './metrics.ts'
export { type AuditSlots, createAuditSlots, SLOT_SECONDS } from './slots.ts'
