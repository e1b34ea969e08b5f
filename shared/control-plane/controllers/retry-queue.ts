import { type Backoff, backoffDelay } from '../../kubernetes/index.ts'
import { isConflict } from './client/index.ts'

export interface RetryQueueOptions<Item> {
  readonly work: (item: Item) => Promise<void>
  /** Told of every failure, conflicts excepted: those are what optimistic writes are for. */
  readonly onError: (error: unknown) => void
  /** How many keys are worked on at the same time. Default 10. */
  readonly concurrency?: number
  /** Pauses of a key after failures in a row. Default 50 ms doubling to a minute, with full jitter. */
  readonly backoff?: Backoff
}

interface State<Item> {
  item: Item
  /** Its turn is coming. */
  isWaiting: boolean
  isRunning: boolean
  /** Added while it was running. */
  isWanted: boolean
  failures: number
  timer: NodeJS.Timeout | undefined
}

const DEFAULT_BACKOFF: Backoff = { baseMs: 50, capMs: 60_000 }

/**
 * What waits to be looked at, each key once however often it is added, and never twice at the same time: what is added while it is looked
 * at is looked at again. A look that fails is repeated after a pause that grows. Looks begin after the request that caused the
 * change has been answered.
 */
export class RetryQueue<Item> {
  readonly #options: Required<RetryQueueOptions<Item>>
  readonly #states = new Map<string, State<Item>>()
  /** Keys whose turn has come, but for which there is no room. */
  readonly #line: string[] = []
  #running = 0
  #isStopped = false

  constructor({ concurrency = 10, backoff = DEFAULT_BACKOFF, ...options }: RetryQueueOptions<Item>) {
    this.#options = { concurrency, backoff, ...options }
  }

  /** The latest item of a key counts. A pause of the key ends. */
  add(key: string, item: Item): void {
    if (this.#isStopped) return
    const state = this.#stateOf(key, item)
    clearTimeout(state.timer)
    state.timer = undefined
    if (state.isRunning) state.isWanted = true
    else this.#schedule(key, state)
  }

  /** Adds the key later, if nobody does before. */
  addAfter(key: string, item: Item, milliseconds: number): void {
    if (this.#isStopped) return
    const state = this.#stateOf(key, item)
    clearTimeout(state.timer)
    // What only waits keeps no process alive.
    state.timer = setTimeout(() => this.add(key, state.item), milliseconds).unref()
  }

  /** Nothing is looked at from now on. */
  stop(): void {
    this.#isStopped = true
    for (const { timer } of this.#states.values()) clearTimeout(timer)
    this.#states.clear()
  }

  #stateOf(key: string, item: Item): State<Item> {
    const known = this.#states.get(key)
    if (known) {
      known.item = item
      return known
    }
    const state: State<Item> = {
      item,
      isWaiting: false,
      isRunning: false,
      isWanted: false,
      failures: 0,
      timer: undefined,
    }
    this.#states.set(key, state)
    return state
  }

  #schedule(key: string, state: State<Item>): void {
    if (state.isWaiting || this.#isStopped) return
    state.isWaiting = true
    setImmediate(() => this.#begin(key))
  }

  #begin(key: string): void {
    const state = this.#states.get(key)
    if (state === undefined || this.#isStopped) return
    if (this.#running >= this.#options.concurrency) this.#line.push(key)
    else void this.#run(key, state)
  }

  async #run(key: string, state: State<Item>): Promise<void> {
    Object.assign(state, { isWaiting: false, isRunning: true, isWanted: false })
    this.#running++
    try {
      await this.#options.work(state.item)
      state.failures = 0
    } catch (error) {
      this.#failed(key, state, error)
    }
    this.#running--
    state.isRunning = false
    if (state.isWanted) this.#schedule(key, state)
    else if (!state.timer) this.#states.delete(key)
    const next = this.#line.shift()
    if (next !== undefined) setImmediate(() => this.#begin(next))
  }

  #failed(key: string, state: State<Item>, error: unknown): void {
    if (this.#isStopped) return
    if (!isConflict(error)) this.#options.onError(error)
    this.addAfter(key, state.item, backoffDelay(state.failures++, this.#options.backoff))
  }
}
