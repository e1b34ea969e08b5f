/**
 * What waits to be looked at, each key once however often it is added. It is looked at after the request that caused the change
 * has been answered; what is added meanwhile is looked at later.
 */
export class WorkQueue<Item> {
  readonly #work: (item: Item) => void
  readonly #waiting = new Map<string, Item>()
  #stopped = false

  constructor(work: (item: Item) => void) {
    this.#work = work
  }

  /** The latest item of a key counts. */
  add(key: string, item: Item): void {
    const isScheduled = this.#waiting.has(key)
    this.#waiting.set(key, item)
    if (!isScheduled) setImmediate(() => this.#look(key))
  }

  /** Nothing is looked at from now on. */
  stop(): void {
    this.#stopped = true
  }

  #look(key: string): void {
    const item = this.#waiting.get(key)
    this.#waiting.delete(key)
    if (item !== undefined && !this.#stopped) this.#work(item)
  }
}
