export { HOLDING } from './reporter.ts'
export { createSelect, type SelectSettings } from './select-service.ts'
export type { FullSyncReason } from './sync-hinted-pods.ts'
export { createServiceSync, type ServiceSync, type ServiceSyncOptions } from './sync-service.ts'
