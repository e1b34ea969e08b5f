/**
 * The recording cannot be simulated; the message states what is missing.
 * @example
 * ```ts
 * new RecordedWorkloadError('the recording has no writes').name // => 'RecordedWorkloadError'
 * ```
 */
export class RecordedWorkloadError extends Error {
  override readonly name = 'RecordedWorkloadError'
}
