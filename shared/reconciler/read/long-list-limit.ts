import pLimit, { type LimitFunction } from 'p-limit'

/**
 * Maximum number of concurrent syncs, over all clusters, that read more than one page: of 10,000 pods each
 * keeps some 20 MB.
 */
const AT_ONCE = 8
/** A cluster that answers slowly leaves places for others. */
const OF_A_CLUSTER = 2

/**
 * Bounds the memory of a process: syncs of large Services wait for one of few places, and all others never
 * do.
 */
interface LongListLimit {
  /** Opens a place for the work of one key. Dispose of it when the work ends. */
  open(cluster: string, signal: AbortSignal): LongListPlace
}

export interface LongListPlace extends Disposable {
  /**
   * Resolves once there is a place, which is held until the end; at once when it is called again.
   * @throws the signal's reason
   */
  take(): Promise<void>
}

export function createLongListLimit(): LongListLimit {
  const all = pLimit(AT_ONCE)
  const limits = new Map<string, LimitFunction>()

  function limitOf(cluster: string): LimitFunction {
    const limit = limits.get(cluster) ?? pLimit(OF_A_CLUSTER)
    limits.set(cluster, limit)
    return limit
  }

  return {
    open(cluster, signal) {
      const ended = Promise.withResolvers<void>()
      let taken: Promise<void> | undefined

      function wait(): Promise<void> {
        const place = Promise.withResolvers<void>()
        const giveUp = (): void => place.reject(signal.reason)
        signal.addEventListener('abort', giveUp)
        if (signal.aborted) giveUp()
        // Who has given up passes its place on at once, as its work has ended by then.
        void limitOf(cluster)(() =>
          all(() => {
            place.resolve()
            return ended.promise
          }),
        )
        return place.promise.finally(() => signal.removeEventListener('abort', giveUp))
      }

      return {
        take: () => {
          taken ??= wait()
          return taken
        },
        [Symbol.dispose]: () => ended.resolve(),
      }
    },
  }
}
