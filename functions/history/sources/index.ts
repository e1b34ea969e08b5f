export { openRecording, type RecordingQuery } from './open-recording.ts'
