export { CANARY, CANARY_GRANT, createCanaryHandler } from './canary.ts'
export { CANARY_METRICS, createCanaryMetrics } from './metrics.ts'
