export { endpointKey, recordedEndpoint } from './format/endpoint.ts'
export { endpointChanges, endpointsAfter } from './format/endpoint-changes.ts'
export { RecordingError } from './format/errors.ts'
export { parseRecord } from './format/parse-record.ts'
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
} from './format/record.ts'
export { type LineProblem, readRecords } from './read-records.ts'
export { type Continuity, createReplay, type Replay, type ReplayedSlice } from './replay.ts'
export { type FileSinkOptions, openFileSink } from './writing/file-sink.ts'
export { createObjectSink, type ObjectSinkOptions, RECORDINGS_PREFIX } from './writing/object-sink.ts'
export { combineRecorders, createRecorder, type Recorder, type RecorderOptions } from './writing/recorder.ts'
export type { Chunk, RecordingSink } from './writing/sink.ts'
export type { SliceWrite, WriteReasons } from './writing/write-record.ts'
