/** A recording holds nothing that can be simulated; the message says what is missing. */
export class RecordedWorkloadError extends Error {
  override readonly name = 'RecordedWorkloadError'
}
