export { CANARY, CANARY_GRANT, createCanaryHandler } from './canary.ts'
export { CANARY_METRICS, type CanaryMetrics, createCanaryMetrics } from './metrics.ts'
