/** A recording, or a line of one, that cannot be used. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError'
}
