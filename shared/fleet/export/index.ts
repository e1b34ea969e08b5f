export { withConditions } from './conditions.ts'
export { exportStatusUpdate, timeText } from './export-status.ts'
export type { ClusterExport, Merge, MergedService, WantedCondition } from './export-verdict.ts'
