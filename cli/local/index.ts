export { type OpenClusters, openClusters } from './clusters.ts'
export { startEventSourceMapping } from './event-source/mapping.ts'
export { syncedWithinMs } from './latest-by-key.ts'
export { startLocal, untilReady } from './local.ts'
export {
  createDeadLetterCount,
  type MetricValue,
  readMetric,
  sumOf,
} from './metrics/dead-letter-count.ts'
export { createMetrics, type Metrics } from './metrics/metrics.ts'
export { type LocalObserver, notifyAll } from './observer.ts'
export { openQueues, type Queues, startEmbeddedQueues } from './queues.ts'
export type {
  ClusterSetStatus,
  ClusterStatus,
  FailureStatus,
  GuardStatus,
  LaneStatus,
  SecondControllerStatus,
  StatusDocument,
} from './status/document.ts'
export { createStatusRecord, type StatusRecord, startShadowTotal } from './status/status-record.ts'
