import { type Backoff, backoffDelay, WorkQueue } from '../../kubernetes/index.ts'
import { isConflict } from './client/controller-client.ts'

interface WorkersOptions<Item> {
  readonly work: (item: Item) => void | Promise<void>
  /** Called with every failure, except conflicts, which optimistic writes expect. */
  readonly onError: (error: unknown) => void
  /** Number of keys that are worked on at the same time. Default 10. */
  readonly concurrency?: number
  /** Pauses of a key after failures in a row. Default 50 ms doubling to a minute, with full jitter. */
  readonly backoff?: Backoff
}

interface Keyed<Item> {
  readonly key: string
  readonly item: Item
}

const DEFAULT_BACKOFF: Backoff = { baseMs: 50, capMs: 60_000 }

/**
 * Workers of a queue, as client-go's controllers run them: a key is never worked on twice at the same time,
 * and one whose work fails comes again after a pause that grows. Work begins after the request that caused
 * the change has been answered.
 */
export class Workers<Item> {
  readonly #options: Required<WorkersOptions<Item>>
  readonly #queue: WorkQueue<Keyed<Item>>
  /** Failures in a row, by key. */
  readonly #failures = new Map<string, number>()
  #running = 0

  constructor({ concurrency = 10, backoff = DEFAULT_BACKOFF, ...options }: WorkersOptions<Item>) {
    this.#options = { concurrency, backoff, ...options }
    this.#queue = new WorkQueue({ keyOf: ({ key }) => key, onReady: () => this.#startSoon() })
  }

  /** Adds an item. The latest item of a key counts, and a pause of the key ends. */
  add(key: string, item: Item): void {
    this.#queue.add({ key, item })
  }

  /** Adds the key after a delay in milliseconds, unless it is added before. */
  addAfter(key: string, item: Item, ms: number): void {
    this.#queue.addAfter({ key, item }, ms)
  }

  /** Stops: nothing is worked on from now on. */
  stop(): void {
    this.#queue.shutDown()
    this.#failures.clear()
  }

  #startSoon(): void {
    setImmediate(() => this.#start())
  }

  #start(): void {
    while (this.#running < this.#options.concurrency) {
      const [next] = this.#queue.get(1)
      if (next === undefined) return
      void this.#run(next.item)
    }
  }

  async #run({ key, item }: Keyed<Item>): Promise<void> {
    this.#running++
    try {
      await this.#options.work(item)
      this.#failures.delete(key)
    } catch (error) {
      this.#failed(key, item, error)
    }
    this.#running--
    this.#queue.done(key)
    this.#startSoon()
  }

  #failed(key: string, item: Item, error: unknown): void {
    if (this.#queue.isShutDown) return
    if (!isConflict(error)) this.#options.onError(error)
    const failures = this.#failures.get(key) ?? 0
    this.#failures.set(key, failures + 1)
    this.#queue.addAfter({ key, item }, backoffDelay(failures, this.#options.backoff))
  }
}
