import { ApiError, NotFoundError, TooLargeVersionError } from '../errors/errors.ts'
import type { CallBudget } from './call-budget.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'

/** One call as its limiter sees it. */
interface LimitedCall {
  /** Words for errors: verb and object. */
  readonly action: string
  readonly signal?: AbortSignal
}

/** Stands between a client and its API server: decides whether and when a call goes out. */
export type CallLimiter = <T>(call: LimitedCall, send: () => Promise<T>) => Promise<T>

interface CallLimiterOptions {
  readonly budget?: CallBudget
  readonly breaker?: CircuitBreaker
  /** Maximum milliseconds that a call waits for budget and Retry-After; then it fails. Default: no limit. */
  readonly maxWaitMs?: number
}

/** Maximum attempts of a call that is rejected with 429: it was not executed, so a retry is safe. */
const ATTEMPTS = 3
/** Delay after a 429 without Retry-After. Kubernetes' servers always send one. */
const DEFAULT_RETRY_AFTER_SECONDS = 1

/**
 * Creates a limiter of calls:
 * 1. No call while the circuit is open.
 * 2. Calls wait for the budget.
 * 3. A server that asks to wait (429, or 503 with Retry-After) pauses all calls of the budget; a call refused
 *    with 429 then goes out again, unless that takes longer than `maxWaitMs`.
 */
export function createCallLimiter({
  budget,
  breaker,
  maxWaitMs = Number.POSITIVE_INFINITY,
}: CallLimiterOptions): CallLimiter {
  async function attempt<T>(
    { action, signal }: LimitedCall,
    send: () => Promise<T>,
    patienceLeftMs: number,
  ): Promise<T> {
    const admitted = breaker?.admit(action)
    try {
      await budget?.take({ action, signal, maxWaitMs: patienceLeftMs })
    } catch (error) {
      admitted?.abandoned()
      throw error
    }
    try {
      const answer = await send()
      admitted?.answered()
      return answer
    } catch (error) {
      budget?.pause(pauseMsOf(error))
      if (signal?.aborted) admitted?.abandoned()
      else if (isOutage(error)) throw admitted === undefined ? error : admitted.failed(error)
      else admitted?.answered()
      throw error
    }
  }

  return async (call, send) => {
    const began = performance.now()
    const patienceLeftMs = (): number => maxWaitMs - (performance.now() - began)
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt(call, send, patienceLeftMs())
      } catch (error) {
        const isWorthIt =
          isRefusedForLoad(error) && pauseMsOf(error) <= patienceLeftMs() && attempts < ATTEMPTS
        if (budget === undefined || !isWorthIt) throw error
      }
    }
  }
}

const isRefusedForLoad = (error: unknown): boolean => error instanceof ApiError && error.code === 429

function pauseMsOf(error: unknown): number {
  if (!(error instanceof ApiError)) return 0
  if (isRefusedForLoad(error)) return (error.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS) * 1000
  return error.code === 503 ? (error.retryAfterSeconds ?? 0) * 1000 : 0
}

/**
 * Reports whether an error shows that the API server cannot be used, and not only that it refuses this call.
 * A 404 that is no Kubernetes Status comes from something else that answers in its place, as every API server
 * has what we ask for; a version that is too large is a mistake of ours.
 */
function isOutage(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true
  if (error instanceof TooLargeVersionError) return false
  return error.code >= 500 || (error instanceof NotFoundError && error.reason === '')
}
