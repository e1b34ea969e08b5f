export { RecordedWorkloadError } from './errors.ts'
export {
  type RecordedSettings,
  type RecordedWorkload,
  type RecordedWorkloadOptions,
  recordedWorkload,
} from './recorded-workload.ts'
export { buffersOf, createToldReader, createToldWriter, type ToldBatch } from './told-batches.ts'
