import { sleepUnlessAborted } from '../backoff.ts'
import { ThrottledError } from '../errors/errors.ts'
import { TokenBucket } from '../work-queue/token-bucket.ts'

export type CallBudget = ReturnType<typeof createCallBudget>

interface TakeOptions {
  /** Words for the error, such as `list Pods of cluster a`. */
  readonly action: string
  readonly signal?: AbortSignal
  /** Default: for ever. */
  readonly maxWaitMs?: number
}

interface CallBudgetOptions {
  /** Calls a second in the long run; twice as many may come at once after a quiet time. */
  readonly callsPerSecond: number
  /** Milliseconds of a clock that never goes back; default `performance.now`. */
  readonly now?: () => number
}

const BURST_SECONDS = 2
/** Maximum pause in milliseconds: one answer must not stop the calls to a cluster for hours. */
const MAX_PAUSE_MS = 60_000

/**
 * Creates the limit of the calls that one API server gets from this process, over all that share the budget.
 * A call takes its token when it asks, and waits until the bucket's debt is paid.
 */
export function createCallBudget({ callsPerSecond, now }: CallBudgetOptions) {
  const bucket = new TokenBucket({ perSecond: callsPerSecond, burst: callsPerSecond * BURST_SECONDS, now })
  let waiting = 0
  let pauses = 0

  /**
   * Waits for the right to make one call; calls get it in the order in which they asked.
   * @throws ThrottledError at once when that would take longer than `maxWaitMs`; the signal's reason when it
   *   aborts
   */
  async function take(options: TakeOptions): Promise<void> {
    const { action, signal, maxWaitMs = Number.POSITIVE_INFINITY } = options
    signal?.throwIfAborted()
    const round = pauses
    bucket.take(1)
    const waitMs = bucket.waitMs(0)
    if (waitMs === 0) return
    if (waitMs > maxWaitMs) {
      bucket.giveBack(1)
      throw new ThrottledError(
        `failed to ${action}: too many calls to this cluster at the time`,
        waitMs / 1000,
      )
    }
    waiting++
    const isOver = await sleepUnlessAborted(waitMs, signal).finally(() => waiting--)
    if (!isOver) {
      bucket.giveBack(1)
      throw signal?.reason
    }
    // A pause that began meanwhile took all tokens back.
    if (round !== pauses) await take({ ...options, maxWaitMs: maxWaitMs - waitMs })
  }

  return {
    take,
    /** Delays all calls, which then go on at the budget's rate. A pause within a longer one has no effect. */
    pause(ms: number): void {
      if (ms > 0 && bucket.pause(Math.min(ms, MAX_PAUSE_MS))) pauses++
    },
    /** Calls that wait now. */
    get waiting() {
      return waiting
    },
    /** Calls that could begin now without waiting. */
    get left() {
      return bucket.tokens
    },
    /** Number of pauses that were asked for. */
    get pauses() {
      return pauses
    },
  }
}
