/**
 * Every way in which a key can fail. The names stand in dead letters and metrics, so they are a contract.
 *
 * - `Forbidden` (403), `Unauthorized` (401), `Invalid` (422 and other failing of what was sent), `NotServed`
 *   (the API server does not have the kind)
 * - `UnknownCluster`: the key names a cluster that this function knows nothing of
 * - `Unreachable` (no answer), `Timeout`, `Throttled` (429, or the budget of calls is used up), `ServerError`
 *   (5xx)
 * - `Conflict`: somebody else went on changing the slices
 * - `MalformedMessage`: the body is no message
 * - `Unexpected`: anything else, a bug most likely
 */
export const FAILURE_CLASSES = [
  'Forbidden',
  'Unauthorized',
  'Invalid',
  'NotServed',
  'UnknownCluster',
  'Unreachable',
  'Timeout',
  'Throttled',
  'ServerError',
  'Conflict',
  'MalformedMessage',
  'Unexpected',
] as const

export type FailureClass = (typeof FAILURE_CLASSES)[number]

/**
 * retry: until the last receive. retry-few: it takes a person to mend it, who may be at it: permissions are
 * granted late, tokens rotate, a cluster is made known. never: not once more.
 */
export type Disposition = 'retry' | 'retry-few' | 'never'

export const DISPOSITIONS: Readonly<Record<FailureClass, Disposition>> = {
  Forbidden: 'retry-few',
  Unauthorized: 'retry-few',
  Invalid: 'retry-few',
  NotServed: 'retry-few',
  UnknownCluster: 'retry-few',
  Unreachable: 'retry',
  Timeout: 'retry',
  Throttled: 'retry',
  ServerError: 'retry',
  Conflict: 'retry',
  MalformedMessage: 'never',
  Unexpected: 'retry',
}

/** What a class means, as a clause for people. */
const FAILURE_WORDS: Readonly<Record<FailureClass, string>> = {
  Forbidden: 'a permission is missing',
  Unauthorized: 'the credentials are refused',
  Invalid: 'the API server finds it invalid',
  NotServed: 'the API server does not have the kind',
  UnknownCluster: 'the cluster is not known',
  Unreachable: 'the cluster cannot be reached',
  Timeout: 'no answer in time',
  Throttled: 'too many requests',
  ServerError: 'the API server failed',
  Conflict: 'somebody else keeps changing it',
  MalformedMessage: 'the message cannot be read',
  Unexpected: 'an error that is not expected',
}

/** Returns the meaning of a class; of one of another version its name. */
export const failureWords = (failureClass: string): string =>
  FAILURE_WORDS[failureClass as FailureClass] ?? failureClass
