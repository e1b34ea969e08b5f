/** A failed key's first delay; it doubles with every receive. */
const FIRST_DELAY_SECONDS = 1
/** A key of a cluster that is down is tried again every five minutes at the latest. */
const MAX_DELAY_SECONDS = 300
/** What a server asks for is honoured up to an hour, well below the 12 hours that SQS allows. */
const MAX_RETRY_AFTER_SECONDS = 3600

/** What an error may say of another attempt. */
interface RetryHints {
  /** The server's `Retry-After`. */
  readonly retryAfterSeconds?: unknown
  /** False: another attempt is not expected to succeed. */
  readonly retryable?: unknown
}

function hintsOf(error: unknown): RetryHints {
  return typeof error === 'object' && error !== null ? error : {}
}

/** False only for errors that say so; such keys still go to the dead letters by the queue's redrive policy. */
export const isRetryable = (error: unknown): boolean => hintsOf(error).retryable !== false

/**
 * How long a failed message stays invisible, in whole seconds: 1 s after the first receive, doubling to 300 s, and at
 * least what the error asks for. Without it the message would stay away for the whole visibility timeout, which is six
 * times the function's timeout.
 */
export function postponeSeconds(receiveCount: number, error: unknown): number {
  const backoff = Math.min(MAX_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2 ** Math.max(0, receiveCount - 1))
  const { retryAfterSeconds } = hintsOf(error)
  if (typeof retryAfterSeconds !== 'number' || Number.isNaN(retryAfterSeconds)) return backoff
  return Math.max(backoff, Math.min(MAX_RETRY_AFTER_SECONDS, Math.ceil(retryAfterSeconds)))
}
