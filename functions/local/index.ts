export { type OpenClusters, openClusters } from './clusters.ts'
export { type BatchReport, type EventSourceMapping, startEventSourceMapping } from './event-source/index.ts'
export { type Local, type LocalOptions, startLocal } from './local.ts'
export {
  createDeadLetterCount,
  createMetrics,
  type DeadLetterCount,
  type Metrics,
  type MetricValue,
  readMetric,
  sumOf,
} from './metrics/index.ts'
export { type LocalObserver, notifyAll } from './observer.ts'
export { openQueues, type Queues, type QueueUrls, startEmbeddedQueues } from './queues.ts'
export type { FailureStatus, GuardStatus, SecondControllerStatus, ServiceList } from './status/index.ts'
export {
  type ClusterSetStatus,
  type ClusterStatus,
  createStatusRecord,
  type LagStatus,
  type LaneStatus,
  type StatusDocument,
  type StatusRecord,
  startShadowTotal,
} from './status/index.ts'
export { untilReady } from './until-ready.ts'
