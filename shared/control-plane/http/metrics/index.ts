export { RequestMetrics } from './request-metrics.ts'
