export {
  AGES,
  type Alteration,
  type Cause,
  type ChangeRecord,
  type EndpointFields,
  endpointChanges,
  endpointKey,
  endpointsAfter,
  type GoneRecord,
  type LostRecord,
  type MessageOrigin,
  parseRecord,
  RECORD_VERSION,
  RecordingError,
  type RecordingLine,
  type Removal,
  recordedEndpoint,
  type SnapshotRecord,
  type StartRecord,
  type WriteRecord,
} from './format/index.ts'
export { type LineProblem, readRecords } from './read-records.ts'
export { type Continuity, createReplay, type Replay, type ReplayedSlice } from './replay.ts'
export type { Chunk, RecordingSink, SliceWrite, WriteReasons } from './writing/index.ts'
export {
  combineRecorders,
  createObjectSink,
  createRecorder,
  type FileSinkOptions,
  type ObjectSinkOptions,
  openFileSink,
  RECORDINGS_PREFIX,
  type Recorder,
  type RecorderOptions,
} from './writing/index.ts'
