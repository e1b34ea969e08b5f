export { combineRecorders } from './combine-recorders.ts'
export { type FileSink, type FileSinkOptions, openFileSink } from './file-sink.ts'
export {
  createObjectSink,
  type ObjectSink,
  type ObjectSinkOptions,
  RECORDINGS_PREFIX,
} from './object-sink.ts'
export {
  createRecorder,
  type Recorder,
  type RecorderOptions,
  type SentKey,
  type SinkRecorder,
} from './recorder.ts'
export type { Chunk, RecordingSink } from './sink.ts'
export type { SliceWrite, WriteReasons } from './write-record.ts'
