import { type Backoff, backoffDelay } from '../../kubernetes/index.ts'
import { isConflict } from './client/index.ts'

export interface WorkQueueOptions<Item> {
  readonly work: (item: Item) => void | Promise<void>
  /** Called with every failure, except conflicts, which optimistic writes expect. */
  readonly onError: (error: unknown) => void
  /** Number of keys that are worked on at the same time. Default 10. */
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
 * Hands out keys to be worked on, as client-go's work queue does: each once however often it is added, and
 * never twice at the same time. What is added while it is worked on is worked on again. Work begins after the
 * request that caused the change has been answered. Work that ends is client-go's Done and Forget; work that
 * fails is its AddRateLimited: the key comes again after a pause that grows.
 */
export class WorkQueue<Item> {
  readonly #options: Required<WorkQueueOptions<Item>>
  readonly #states = new Map<string, State<Item>>()
  /** Keys whose turn has come, but for which there is no room. */
  readonly #line: string[] = []
  #running = 0
  #isStopped = false

  constructor({ concurrency = 10, backoff = DEFAULT_BACKOFF, ...options }: WorkQueueOptions<Item>) {
    this.#options = { concurrency, backoff, ...options }
  }

  /** Adds an item. The latest item of a key counts, and a pause of the key ends. */
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
    state.timer = setTimeout(() => this.#due(key, state), milliseconds).unref()
  }

  /** Stops: nothing is worked on from now on. */
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

  #due(key: string, state: State<Item>): void {
    state.timer = undefined
    if (state.isRunning) state.isWanted = true
    if (state.isRunning || state.isWaiting) return
    state.isWaiting = true
    this.#begin(key)
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
    clearTimeout(state.timer)
    Object.assign(state, { isWaiting: false, isRunning: true, isWanted: false, timer: undefined })
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
