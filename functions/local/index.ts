export { type OpenClusters, openClusters } from './clusters.ts'
export { createDeadLetterCount, type DeadLetterCount } from './dead-letter-count.ts'
export { type BatchReport, type EventSourceMapping, startEventSourceMapping } from './event-source-mapping.ts'
export type { FailureStatus } from './failure-record.ts'
export type { GuardStatus, ServiceList } from './guard-record.ts'
export { type Local, type LocalObserver, type LocalOptions, notifyAll, startLocal } from './local.ts'
export { type MetricValue, readMetric, sumOf } from './metric-values.ts'
export { createMetrics, type Metrics } from './metrics.ts'
export { openQueues, type Queues, type QueueUrls, startEmbeddedQueues } from './queues.ts'
export type { SecondControllerStatus } from './second-controller-record.ts'
export { startShadowTotal } from './shadow-total.ts'
export {
  type ClusterSetStatus,
  type ClusterStatus,
  createStatusRecord,
  type LagStatus,
  type LaneStatus,
  type StatusDocument,
  type StatusRecord,
} from './status-record.ts'
export { untilReady } from './until-ready.ts'
