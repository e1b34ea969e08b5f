/**
 * retry: until the last receive. retry-few: it takes a person to mend it, who may be at it: permissions are
 * granted late, tokens rotate, a cluster is made known. never: not once more.
 */
export type Disposition = 'retry' | 'retry-few' | 'never'

interface ClassFacts {
  readonly disposition: Disposition
  /** What it means, as a clause for people. */
  readonly words: string
}

/** Every way in which a key can fail. The names stand in dead letters and metrics, so they are a contract. */
const CLASSES = {
  // 403
  Forbidden: { disposition: 'retry-few', words: 'a permission is missing' },
  // 401
  Unauthorized: { disposition: 'retry-few', words: 'the credentials are refused' },
  // 422, and what else is wrong with what was sent
  Invalid: { disposition: 'retry-few', words: 'the API server finds it invalid' },
  NotServed: { disposition: 'retry-few', words: 'the API server does not have the kind' },
  // The key names a cluster that this function knows nothing of.
  UnknownCluster: { disposition: 'retry-few', words: 'the cluster is not known' },
  Unreachable: { disposition: 'retry', words: 'the cluster cannot be reached' },
  Timeout: { disposition: 'retry', words: 'no answer in time' },
  // 429, or the budget of calls is used up
  Throttled: { disposition: 'retry', words: 'too many requests' },
  // 5xx
  ServerError: { disposition: 'retry', words: 'the API server failed' },
  Conflict: { disposition: 'retry', words: 'somebody else keeps changing it' },
  MalformedMessage: { disposition: 'never', words: 'the message cannot be read' },
  // A bug most likely
  Unexpected: { disposition: 'retry', words: 'an error that is not expected' },
} as const satisfies Readonly<Record<string, ClassFacts>>

export type FailureClass = keyof typeof CLASSES

export const FAILURE_CLASSES = Object.keys(CLASSES) as FailureClass[]

export const dispositionOf = (failureClass: FailureClass): Disposition => CLASSES[failureClass].disposition

/** Returns the meaning of a class; of one of another version its name. */
export const failureWords = (failureClass: string): string =>
  CLASSES[failureClass as FailureClass]?.words ?? failureClass
