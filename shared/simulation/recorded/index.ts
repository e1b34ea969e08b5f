export { RecordedWorkloadError } from './errors.ts'
export {
  type RecordedSettings,
  type RecordedWorkload,
  type RecordedWorkloadOptions,
  recordedWorkload,
} from './recorded-workload.ts'
