export { ReadOnlyError, readOnlyClient } from './read-only-client.ts'
export { type RecordedWrite, recordingClient } from './recording-client.ts'
export { createShadowMetrics } from './shadow-metrics.ts'
export { createComparing, createShadowReconciler, type ShadowOptions } from './shadow-reconciler.ts'
export { type Compared, describeDifference } from './shadow-report.ts'
export {
  createShadowSync,
  type ShadowSync,
  type ShadowSyncOptions,
  type VersionedDifference,
} from './shadow-sync.ts'
