import type { ViewEvent, ViewObject } from '../engine/index.ts'

export interface SubscriptionOptions {
  /** Only views of these kinds. Default: all. */
  readonly kinds?: readonly string[]
  /** Only objects of this namespace. Default: all. */
  readonly namespace?: string
}

/**
 * Events for one consumer, in order: first `Added` for every object that is there, then the changes.
 * Breaking out of `for await`, or `close`, ends it.
 */
export interface ViewSubscription extends AsyncIterable<ViewEvent> {
  close(): void
}

/** Wakes all who wait for it. */
class Signal {
  #next: PromiseWithResolvers<void> | undefined

  next(): Promise<void> {
    this.#next ??= Promise.withResolvers()
    return this.#next.promise
  }

  give(): void {
    this.#next?.resolve()
    this.#next = undefined
  }
}

/** The queue of one consumer. */
export class Subscription implements ViewSubscription {
  readonly #options: SubscriptionOptions
  readonly #onClose: (subscription: Subscription) => void
  #events: ViewEvent[] = []
  /** Number of `#events` that were already taken. */
  #taken = 0
  #closed = false
  readonly #added = new Signal()
  readonly #taking = new Signal()

  constructor(
    options: SubscriptionOptions,
    objects: readonly ViewObject[],
    onClose: (subscription: Subscription) => void,
  ) {
    this.#options = options
    this.#onClose = onClose
    this.push(objects.map((object) => ({ type: 'Added', object })))
  }

  push(events: readonly ViewEvent[]): void {
    const { kinds, namespace } = this.#options
    const before = this.#events.length
    for (const event of events) {
      const { kind, metadata } = event.object
      const isMeant =
        (kinds?.includes(kind) ?? true) && (namespace ?? metadata.namespace) === metadata.namespace
      if (isMeant) this.#events.push(event)
    }
    if (this.#events.length > before) this.#added.give()
  }

  /** Resolves once fewer events than this are waiting, or the subscription is closed. */
  async room(highWaterMark: number): Promise<void> {
    while (!this.#closed && this.#events.length - this.#taken >= highWaterMark) await this.#taking.next()
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#events = []
    this.#taken = 0
    this.#added.give()
    this.#taking.give()
    this.#onClose(this)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ViewEvent> {
    try {
      while (!this.#closed) {
        const event = this.#take()
        if (event !== undefined) yield event
        else await this.#added.next()
      }
    } finally {
      this.close()
    }
  }

  #take(): ViewEvent | undefined {
    const event = this.#events[this.#taken]
    if (event === undefined) return undefined
    this.#taken++
    // Cut off what was taken now and then: shift() would move the whole queue for each event.
    if (this.#taken > 1000 && this.#taken * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#taken)
      this.#taken = 0
    }
    this.#taking.give()
    return event
  }
}
