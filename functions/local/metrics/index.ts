export {
  createDeadLetterCount,
  type DeadLetterCount,
  type MetricValue,
  readMetric,
  sumOf,
} from './dead-letter-count.ts'
export { createMetrics, type Metrics } from './metrics.ts'
