import {
  createRecorder as createSteadyRecorder,
  type RecorderOptions,
  type SinkRecorder,
} from '../../../shared/recording/writing/recorder.ts'
import { isRecording } from './laps.ts'

export type * from '../../../shared/recording/writing/recorder.ts'

/** Creates a recorder that records in every second lap only. */
export function createRecorder(options: RecorderOptions): SinkRecorder {
  const recorder = createSteadyRecorder(options)
  return { ...recorder, records: (key) => isRecording(Date.now()) && recorder.records(key) }
}
