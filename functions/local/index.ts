export { type OpenClusters, openClusters } from './clusters.ts'
export { type BatchReport, type EventSourceMapping, startEventSourceMapping } from './event-source/mapping.ts'
export { type Local, type LocalOptions, startLocal, untilReady } from './local.ts'
export {
  createDeadLetterCount,
  type DeadLetterCount,
  type MetricValue,
  readMetric,
  sumOf,
} from './metrics/dead-letter-count.ts'
export { createMetrics, type Metrics } from './metrics/metrics.ts'
export { type LocalObserver, notifyAll } from './observer.ts'
export { openQueues, type Queues, type QueueUrls, startEmbeddedQueues } from './queues.ts'
export {
  type ClusterSetStatus,
  type ClusterStatus,
  type FailureStatus,
  type GuardStatus,
  type LaneStatus,
  lanesSchema,
  type SecondControllerStatus,
  type ServiceList,
  type StatusDocument,
  statusSchema,
  urlSchema,
} from './status/document.ts'
export { createStatusRecord, type StatusRecord, startShadowTotal } from './status/status-record.ts'
