import { MAX_BACKOFF_SECONDS } from '../../index.ts'
import type { Failure } from './classify-error.ts'

/** A failed key's first delay; it doubles with every receive. */
const FIRST_SECONDS = 1
/** First back-off if a person has to act: with 5, 20 and 80 s four receives take over 90 s. */
const FIRST_SECONDS_FEW = 5
/** Maximum back-off that a server may ask for: an hour, well below the 12 hours that SQS allows. */
const MAX_RETRY_AFTER_SECONDS = 3600
/** Jitter: up to 25 % is added, so that keys with the same delay are spread out. */
const JITTER = 0.25

interface BackoffInputs extends Pick<Failure, 'disposition' | 'retryAfterSeconds'> {
  /** Number of receives, from 1. */
  readonly receiveCount: number
}

/**
 * Computes how long a failed message stays invisible, in whole seconds: 1 s after the first receive, doubling
 * to 300 s, and at least what the error asks for. Without it the message would stay away for the whole
 * visibility timeout, which is six times the function's timeout.
 */
export function backoffSeconds(
  { receiveCount, disposition, retryAfterSeconds }: BackoffInputs,
  random: () => number = Math.random,
): number {
  const failures = Math.max(0, receiveCount - 1)
  const backoff = disposition === 'retry' ? FIRST_SECONDS * 2 ** failures : FIRST_SECONDS_FEW * 4 ** failures
  const seconds = Math.min(MAX_BACKOFF_SECONDS, backoff)
  if (retryAfterSeconds === undefined) return seconds
  const asked = Math.max(seconds, Math.min(MAX_RETRY_AFTER_SECONDS, retryAfterSeconds))
  return Math.ceil(asked * (1 + JITTER * random()))
}
