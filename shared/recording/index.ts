export { combineRecorders } from './combine-recorders.ts'
export { endpointKey, recordedEndpoint } from './endpoint.ts'
export { type EndpointChanges, endpointChanges, endpointsAfter } from './endpoint-changes.ts'
export { RecordingError } from './errors.ts'
export { type FileSink, type FileSinkOptions, openFileSink } from './file-sink.ts'
export {
  createObjectSink,
  type ObjectSink,
  type ObjectSinkOptions,
  RECORDINGS_PREFIX,
} from './object-sink.ts'
export { parseRecord } from './parse-record.ts'
export { type LineProblem, readRecords } from './read-records.ts'
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
export {
  createRecorder,
  type Recorder,
  type RecorderOptions,
  type SentKey,
  type SinkRecorder,
} from './recorder.ts'
export { type Continuity, createReplay, type Replay, type ReplayedSlice, type SliceRecord } from './replay.ts'
export type { Chunk, RecordingSink } from './sink.ts'
export type { SliceWrite, WriteReasons } from './write-record.ts'
