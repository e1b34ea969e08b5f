export { endpointKey, recordedEndpoint } from './endpoint.ts'
export { type EndpointChanges, endpointChanges, endpointsAfter } from './endpoint-changes.ts'
export { RecordingError } from './errors.ts'
export {
  AGES,
  type Alteration,
  type Cause,
  type ChangeRecord,
  type EndpointFields,
  type GoneRecord,
  type LostRecord,
  type MessageOrigin,
  RECORD_VERSION,
  type RecordingLine,
  type Removal,
  type SnapshotRecord,
  type StartRecord,
  type WriteRecord,
} from './record.ts'
export { parseRecord } from './record-schema.ts'
