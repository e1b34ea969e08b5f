import { ApiError, CircuitOpenError, ConnectionError, ThrottledError } from '../../../kubernetes/index.ts'
import { redactSecrets } from '../../../telemetry/index.ts'
import { errorMessage } from '../../../values/index.ts'
import { MalformedMessageError } from '../../index.ts'
import { type Disposition, dispositionOf, FAILURE_CLASSES, type FailureClass } from './failure-class.ts'

/** Meaning of an error for the key that failed with it. */
export interface Failure {
  readonly class: FailureClass
  readonly disposition: Disposition
  /** Minimum delay of the retry in seconds; at least 0 if present. */
  readonly retryAfterSeconds?: number
  /** A cluster has not answered for a while: every key of it fails alike, and none is to blame. */
  readonly isOutage: boolean
  /** The beginning of the error's message without secrets; of several, the message of what holds them. */
  readonly reason: string
}

/** Fields that any error may have. */
interface Hints {
  readonly failureClass?: unknown
  readonly retryable?: unknown
  readonly retryAfterSeconds?: unknown
}

/**
 * Takes any thrown value. Errors of the API's client are known by their type; any other may say its class in
 * `failureClass`, or that another attempt is not expected to succeed by `retryable: false`. Of an
 * AggregateError the part counts that is most worth another attempt.
 */
export function classify(error: unknown): Failure {
  const reason = redactSecrets(errorMessage(error))
  if (error instanceof AggregateError && error.errors.length > 0) {
    return { ...worthMost(error.errors.map(classify)), reason }
  }
  const hints: Hints = typeof error === 'object' && error !== null ? error : {}
  const failureClass = classOf(error, hints)
  const isHopeless = failureClass === 'Unexpected' && hints.retryable === false
  return {
    class: failureClass,
    disposition: isHopeless ? 'retry-few' : dispositionOf(failureClass),
    isOutage: error instanceof CircuitOpenError,
    reason,
    retryAfterSeconds: retryAfter(hints),
  }
}

function worthMost(failures: readonly Failure[]): Failure {
  const ranks: readonly Disposition[] = ['retry', 'retry-few', 'never']
  const rank = ({ isOutage, disposition }: Failure): number => (isOutage ? -1 : ranks.indexOf(disposition))
  const best = failures.reduce((one, other) => (rank(other) < rank(one) ? other : one))
  const seconds = failures.flatMap(({ retryAfterSeconds }) => retryAfterSeconds ?? [])
  return { ...best, ...(seconds.length > 0 && { retryAfterSeconds: Math.max(...seconds) }) }
}

function classOf(error: unknown, { failureClass }: Hints): FailureClass {
  if (error instanceof ApiError) return classOfStatus(error)
  if (error instanceof CircuitOpenError) return 'Unreachable'
  if (error instanceof ConnectionError) return error.code === 'ETIMEDOUT' ? 'Timeout' : 'Unreachable'
  if (error instanceof ThrottledError) return 'Throttled'
  if (error instanceof MalformedMessageError) return 'MalformedMessage'
  return FAILURE_CLASSES.find((name) => name === failureClass) ?? 'Unexpected'
}

const CLASS_OF_CODE: Readonly<Record<number, FailureClass>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  408: 'Timeout',
  409: 'Conflict',
  // A snapshot that was gone before its last page had been read, several times.
  410: 'Timeout',
  429: 'Throttled',
  504: 'Timeout',
}

function classOfStatus({ code, reason }: ApiError): FailureClass {
  const known = CLASS_OF_CODE[code]
  if (known !== undefined) return known
  if (code === 404) return reason === '' ? 'Unreachable' : 'NotServed'
  return code >= 500 ? 'ServerError' : 'Invalid'
}

const retryAfter = ({ retryAfterSeconds: seconds }: Hints): number | undefined =>
  typeof seconds !== 'number' || Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
