import { Workers } from './workers.ts'

/**
 * Result of the work on a key:
 * - `good`: it is done again after the interval
 * - `bad`: it is tried again soon, and after twice as long each further time, up to the interval
 * - `stale`: its subject has changed meanwhile, so it is done again at once
 * - undefined: it is done again on the next request
 */
export type Outcome = 'good' | 'bad' | 'stale' | undefined

export interface PollerOptions {
  /** Must end by itself. What it throws is reported, and not retried before the key is added again. */
  readonly work: (key: string) => Promise<Outcome>
  /** Milliseconds. */
  readonly interval: number
  /** Milliseconds until the second try. */
  readonly firstRetry: number
  readonly onError: (error: unknown) => void
}

/**
 * Does the work of each key over and over: when it is asked for, and as long after the last time as the
 * outcome of that says. The work of one key is never done twice at the same time, and one that hangs holds up
 * no other.
 */
export class Poller {
  readonly #options: PollerOptions
  readonly #queue: Workers<string>
  /** Milliseconds until the next try of each key, should this one fail. */
  readonly #retries = new Map<string, number>()

  constructor(options: PollerOptions) {
    this.#options = options
    const { onError } = options
    const work = (key: string): Promise<void> => this.#run(key)
    this.#queue = new Workers({ work, onError, concurrency: Number.POSITIVE_INFINITY })
  }

  /** Has the work done soon. If it is being done, it is done once more after that. */
  poke(key: string): void {
    if (!this.#retries.has(key)) this.#retries.set(key, this.#options.firstRetry)
    this.#queue.add(key, key)
  }

  forget(key: string): void {
    this.#retries.delete(key)
  }

  stop(): void {
    this.#retries.clear()
    this.#queue.stop()
  }

  async #run(key: string): Promise<void> {
    const { work, onError } = this.#options
    if (!this.#retries.has(key)) return
    const outcome = await work(key).catch((error: unknown) => {
      onError(error)
      return undefined
    })
    const retry = this.#retries.get(key)
    if (retry === undefined || outcome === undefined) return
    this.#queue.addAfter(key, key, this.#delayAfter(outcome, key, retry))
  }

  /** Milliseconds. */
  #delayAfter(outcome: 'good' | 'bad' | 'stale', key: string, retry: number): number {
    const { interval, firstRetry } = this.#options
    if (outcome === 'stale') return 0
    const delay = Math.min(retry, interval)
    this.#retries.set(key, outcome === 'bad' ? 2 * delay : firstRetry)
    return outcome === 'bad' ? delay : interval
  }
}
