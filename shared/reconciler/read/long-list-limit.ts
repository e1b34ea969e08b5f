import { addAbortListener } from 'node:events'
import pLimit, { type LimitFunction } from 'p-limit'

/** Maximum concurrent syncs of more than one page, over all clusters: 10,000 Pods take some 20 MB. */
const AT_ONCE = 8
/** A cluster that answers slowly leaves places for others. */
const OF_A_CLUSTER = 2

export interface LongListPlace extends Disposable {
  /**
   * Resolves once there is a place, which is held until the end; at once when it is called again.
   * @throws the signal's reason
   */
  take(): Promise<void>
}

/** Bounds the memory of a process: only syncs of large Services wait, for one of few places. */
export class LongListLimit {
  readonly #all = pLimit(AT_ONCE)
  readonly #ofClusters = new Map<string, LimitFunction>()

  /** Opens a place for the work of one key. Dispose of it when the work ends. */
  open(cluster: string, signal: AbortSignal): LongListPlace {
    const ended = Promise.withResolvers<void>()
    let taken: Promise<void> | undefined
    return {
      take: () => {
        taken ??= this.#wait(cluster, signal, ended.promise)
        return taken
      },
      [Symbol.dispose]: () => ended.resolve(),
    }
  }

  async #wait(cluster: string, signal: AbortSignal, ended: Promise<void>): Promise<void> {
    const place = Promise.withResolvers<void>()
    using _ = addAbortListener(signal, () => place.reject(signal.reason))
    const ofCluster = this.#ofClusters.get(cluster) ?? pLimit(OF_A_CLUSTER)
    this.#ofClusters.set(cluster, ofCluster)
    // Who has given up passes its place on at once, as its work has ended by then.
    void ofCluster(() =>
      this.#all(() => {
        place.resolve()
        return ended
      }),
    )
    await place.promise
  }
}
