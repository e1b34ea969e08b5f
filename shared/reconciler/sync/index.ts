export { EVENT_REASONS } from './reporter.ts'
export { createSelect, type SelectSettings } from './select-service.ts'
export type { FullSyncReason } from './sync-hinted-pods.ts'
export { type KeyContext, type ServiceSync, ServiceSyncs, type ServiceSyncsOptions } from './sync-service.ts'
