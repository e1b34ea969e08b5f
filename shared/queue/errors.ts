/** Base class of what this library throws. */
export class QueueError extends Error {
  override readonly name: string = 'QueueError'
}

/**
 * A message body that is not of the documented form. Trying again cannot help, so the body belongs in the
 * dead letters. The message names the field and the rule; it never quotes the body, which is untrusted.
 */
export class MalformedMessageError extends QueueError {
  override readonly name: string = 'MalformedMessageError'
  readonly retryable: boolean = false
}

/** A message of a later version, for which a function of that version may come in time: after a rollback. */
export class NewerMessageError extends MalformedMessageError {
  override readonly name = 'NewerMessageError'
  override readonly retryable = true
}

/** SQS refused entries of a batch request for good, or did not take them within the attempts allowed. */
export class QueueRequestError extends QueueError {
  override readonly name = 'QueueRequestError'
  readonly retryable = true
}
