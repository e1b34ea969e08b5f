export { createDeadLetterCount, type DeadLetterCount } from './dead-letter-count.ts'
export { type MetricValue, readMetric, sumOf } from './metric-values.ts'
export { createMetrics, type Metrics } from './metrics.ts'
