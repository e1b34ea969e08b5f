export { RecordedWorkloadError } from './errors.ts'
export { buffersOf, createBatchReader, createBatchWriter, type EventBatch } from './event-batches.ts'
export {
  type RecordedSettings,
  type RecordedWorkload,
  type RecordedWorkloadOptions,
  recordedWorkload,
} from './recorded-workload.ts'
