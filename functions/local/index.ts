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
export * from './status/index.ts'
export { untilReady } from './until-ready.ts'
