export type { Metric, Sample } from './exposition.ts'
export { RequestMetrics } from './request-metrics.ts'
