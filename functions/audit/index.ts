export { auditSlot } from './audit.ts'
export { createAuditHandler } from './handler.ts'
export { createAuditMetrics } from './metrics.ts'
export { type AuditSlots, createAuditSlots, SLOT_SECONDS } from './slots.ts'
