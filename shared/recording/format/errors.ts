/** An unusable recording, or an unusable line of one. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError'
}
