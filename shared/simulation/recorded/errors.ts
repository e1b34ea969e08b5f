/** The recording cannot be simulated; the message states what is missing. */
export class RecordedWorkloadError extends Error {
  override readonly name = 'RecordedWorkloadError'
}
