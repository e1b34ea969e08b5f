import { type MonotonicClock, monotonicClock, type Timer } from './monotonic-clock.ts'

/** Time for which a key counts as processing after `get`, in milliseconds. */
export interface ProcessingTime {
  /** Minimum, even if it is done earlier. */
  readonly minMs: number
  /** Maximum, even if it is not done. */
  readonly maxMs: number
  /**
   * Items that may be deferred are handed out apart from others, at least so far apart, and once the first of
   * them has waited for so long. Default: as any other.
   */
  readonly deferMs?: number
}

/** Which items may wait for longer than others of their key. */
export interface Deferral<Item> {
  /** @param deferred what is deferred of its key already */
  isDeferrable(item: Item, deferred: readonly Item[]): boolean
  /**
   * Says what of the deferred items the processing of another item covers. Returns the item that stands for
   * both, and what stays deferred of each: the same one if nothing of it is covered. Undefined if it covers
   * nothing at all.
   * @param deferred those that wait longest first
   */
  cover(
    item: Item,
    deferred: readonly Item[],
  ): { readonly both: Item; readonly rest: readonly (Item | undefined)[] } | undefined
}

interface WorkQueueOptions<Item> {
  readonly keyOf: (item: Item) => string
  /** Called when an item is ready and none was before. */
  readonly onReady: () => void
  /** Makes one item of two of a key. Default: the later one. */
  readonly merge?: (earlier: Item, later: Item) => Item
  /** Says, as an item is handed out, how long its key is being processed. Default: until it is done. */
  readonly processingTime?: (item: Item) => ProcessingTime
  /** Default: no item may be deferred. */
  readonly deferral?: Deferral<Item>
  /** Whether an item that waited while its key was being processed needs no work any more. Default: no. */
  readonly isObsolete?: (item: Item) => boolean
  readonly clock?: MonotonicClock
}

/** An item with the time, by the queue's clock, since when it, or the first that it stands for, waits. */
export interface Queued<Item> {
  readonly item: Item
  readonly since: number
}

/** A key that is being processed, or of which something is to come later. */
class KeyState<Item> {
  isProcessing = false
  /** The minimum of its processing time is over. */
  isMinPassed = false
  isDone = false
  timer: Timer | undefined
  /** Added while the key is processed. */
  dirty: Queued<Item> | undefined
  /** In the order in which they were added. */
  deferred: readonly Queued<Item>[] = []
  deferMs: number | undefined
  deferTimer: Timer | undefined
  /** To be added later. */
  later: Queued<Item> | undefined
  laterTimer: Timer | undefined
}

/** Items of a key that are deferred one by one. */
const MAX_DEFERRED = 64

const UNTIL_DONE: ProcessingTime = { minMs: 0, maxMs: Number.POSITIVE_INFINITY }

/**
 * A queue of keys with client-go's verbs: each key waits once, however often it is added, and is handed out
 * to one worker at a time. What is added of a key that is being processed comes once that is over.
 *
 * Beyond client-go's: what waits of a key is merged; processing may have a shortest and a longest time, for
 * workers that only hear of its end by chance; and some items may be deferred, so that others of their key
 * overtake them.
 */
export class WorkQueue<Item> {
  readonly #options: Required<Omit<WorkQueueOptions<Item>, 'deferral'>> &
    Pick<WorkQueueOptions<Item>, 'deferral'>
  readonly #ready = new Map<string, Queued<Item>>()
  readonly #states = new Map<string, KeyState<Item>>()
  #isShutDown = false

  constructor(options: WorkQueueOptions<Item>) {
    this.#options = {
      merge: (_, later) => later,
      processingTime: () => UNTIL_DONE,
      isObsolete: () => false,
      clock: monotonicClock,
      ...options,
    }
  }

  /** Adds an item. What was to be added later of its key comes now. */
  add(item: Item): void {
    if (this.#isShutDown) return
    const key = this.#options.keyOf(item)
    const queued = { item, since: this.#options.clock.now() }
    const state = this.#states.get(key)
    if (state === undefined) {
      this.#makeReady(key, queued)
      return
    }
    const added = this.#merged(this.#takeLater(state), queued)
    const { deferral } = this.#options
    const mayWait =
      state.deferMs !== undefined && deferral?.isDeferrable(item, itemsOf(state.deferred)) === true
    if (mayWait) state.deferred = this.#withDeferred(state.deferred, added)
    else state.dirty = this.#merged(state.dirty, added)
    this.#release(key, state)
  }

  /** Adds an item later, in milliseconds, unless its key waits already: then it comes with that. */
  addAfter(item: Item, ms: number): void {
    if (this.#isShutDown) return
    const key = this.#options.keyOf(item)
    const { clock } = this.#options
    const queued = { item, since: clock.now() }
    const ready = this.#ready.get(key)
    if (ready !== undefined) {
      this.#ready.set(key, this.#merged(queued, ready))
      return
    }
    const state = this.#stateOf(key)
    if (state.dirty !== undefined) {
      state.dirty = this.#merged(queued, state.dirty)
      return
    }
    state.later = this.#merged(this.#takeLater(state), queued)
    state.laterTimer = clock.set(() => {
      state.dirty = this.#merged(this.#takeLater(state), state.dirty)
      this.#release(key, state)
    }, ms)
  }

  /** Returns up to `limit` items, those that wait longest first. Their keys then count as processing. */
  get(limit: number): Queued<Item>[] {
    const taken: Queued<Item>[] = []
    for (const [key, ready] of this.#ready) {
      if (taken.length === limit) break
      this.#ready.delete(key)
      const state = this.#states.get(key)
      const queued = state ? this.#cover(state, ready) : ready
      this.#startProcessing(key, queued.item)
      taken.push(queued)
    }
    return taken
  }

  /** Puts back what could not be processed. It is ready again, merged with what came meanwhile. */
  putBack(items: readonly Queued<Item>[]): void {
    for (const queued of items) {
      const key = this.#options.keyOf(queued.item)
      this.#makeReady(key, this.#merged(queued, this.#takeAll(key)))
    }
  }

  /** Notes that a key was processed. What was added meanwhile is ready once it was so for long enough. */
  done(key: string): void {
    const state = this.#states.get(key)
    if (!state?.isProcessing) return
    if (state.isMinPassed) this.#endProcessing(key, state)
    else state.isDone = true
  }

  /** Makes all that waits ready, for the end; no timer stays. */
  flush(): void {
    for (const key of [...this.#states.keys()]) {
      const queued = this.#takeAll(key)
      if (queued !== undefined) this.#makeReady(key, queued)
    }
  }

  /** Forgets all; nothing can be added any more. */
  shutDown(): void {
    this.#isShutDown = true
    for (const key of [...this.#states.keys()]) this.#takeAll(key)
    this.#ready.clear()
  }

  get isShutDown(): boolean {
    return this.#isShutDown
  }

  /** Keys that wait. */
  get length(): number {
    let others = 0
    for (const [key, state] of this.#states) if (!this.#ready.has(key) && hasWaiting(state)) others++
    return this.#ready.size + others
  }

  /** Yields what waits, ready or not; of a key it may be more than one item. */
  *waiting(): Generator<Queued<Item>> {
    yield* this.#ready.values()
    for (const { dirty, deferred, later } of this.#states.values())
      for (const queued of [dirty, ...deferred, later]) if (queued !== undefined) yield queued
  }

  #makeReady(key: string, queued: Queued<Item>): void {
    const known = this.#ready.get(key)
    this.#ready.set(key, this.#merged(known, queued))
    if (known === undefined && this.#ready.size === 1) this.#options.onReady()
  }

  #startProcessing(key: string, item: Item): void {
    const { minMs, maxMs, deferMs } = this.#options.processingTime(item)
    const known = this.#states.get(key)
    if (known === undefined && maxMs === 0 && deferMs === undefined) return
    const state = known ?? this.#stateOf(key)
    const { clock, deferral } = this.#options
    clock.clear(state.timer)
    state.deferMs = deferMs
    Object.assign(state, { timer: undefined, isProcessing: maxMs > 0, isDone: false, isMinPassed: false })
    if (deferral?.isDeferrable(item, [])) this.#startDeferring(key, state)
    if (!state.isProcessing) this.#forgetQuiet(key, state)
    else if (minMs === 0) this.#minPassed(key, state, maxMs)
    else state.timer = clock.set(() => this.#minPassed(key, state, maxMs - minMs), minMs)
  }

  #minPassed(key: string, state: KeyState<Item>, moreMs: number): void {
    state.timer = undefined
    state.isMinPassed = true
    if (state.isDone || moreMs <= 0) this.#endProcessing(key, state)
    else if (Number.isFinite(moreMs))
      state.timer = this.#options.clock.set(() => this.#endProcessing(key, state), moreMs)
  }

  #endProcessing(key: string, state: KeyState<Item>): void {
    this.#options.clock.clear(state.timer)
    Object.assign(state, { timer: undefined, isProcessing: false })
    this.#release(key, state)
  }

  /** Many are merged: what goes along with others is sought among all of them. */
  #withDeferred(deferred: readonly Queued<Item>[], added: Queued<Item>): readonly Queued<Item>[] {
    const all = [...deferred, added]
    const merged = all.length > MAX_DEFERRED ? this.#mergedAll(all) : undefined
    return merged ? [merged] : all
  }

  /** @param sinceMs when what is deferred began to wait; default: it may not be handed out again so soon */
  #startDeferring(key: string, state: KeyState<Item>, sinceMs = this.#options.clock.now()): void {
    if (!state.deferMs) return
    const { clock } = this.#options
    state.deferTimer ??= clock.set(
      () => {
        state.deferTimer = undefined
        const [first] = state.deferred
        // What waited longest may have gone along with another item meanwhile.
        if (first !== undefined && first.since > sinceMs) this.#startDeferring(key, state, first.since)
        if (state.deferTimer === undefined) this.#release(key, state)
      },
      Math.max(0, sinceMs + state.deferMs - clock.now()),
    )
  }

  /** Makes ready what need not wait any longer, and forgets a key of which nothing is to come. */
  #release(key: string, state: KeyState<Item>): void {
    if (state.isProcessing) return
    const queued = this.#takeDue(key, state)
    this.#forgetQuiet(key, state)
    if (queued !== undefined && !this.#options.isObsolete(queued.item)) this.#makeReady(key, queued)
  }

  #takeDue(key: string, state: KeyState<Item>): Queued<Item> | undefined {
    const { dirty, deferred } = state
    state.dirty = undefined
    if (deferred.length === 0 || state.deferTimer !== undefined) return dirty
    state.deferred = []
    this.#startDeferring(key, state)
    return this.#mergedAll([dirty, ...deferred])
  }

  /** Takes what waits of a key, other than what is ready, and ends its timers. */
  #takeAll(key: string): Queued<Item> | undefined {
    const state = this.#states.get(key)
    if (state === undefined) return undefined
    this.#states.delete(key)
    const { clock } = this.#options
    clock.clear(state.timer)
    clock.clear(state.deferTimer)
    return this.#mergedAll([this.#takeLater(state), state.dirty, ...state.deferred])
  }

  /** Takes along what the processing of an item covers of what is deferred. */
  #cover(state: KeyState<Item>, queued: Queued<Item>): Queued<Item> {
    const { deferred } = state
    const covered =
      deferred.length === 0 ? undefined : this.#options.deferral?.cover(queued.item, itemsOf(deferred))
    if (covered === undefined) return queued
    const { both, rest } = covered
    const first = deferred.find(({ item }, at) => rest[at] !== item) ?? queued
    state.deferred = deferred.flatMap(({ since }, at) => {
      const item = rest[at]
      return item === undefined ? [] : [{ item, since }]
    })
    return { item: both, since: Math.min(queued.since, first.since) }
  }

  #takeLater(state: KeyState<Item>): Queued<Item> | undefined {
    const { later } = state
    if (later === undefined) return undefined
    this.#options.clock.clear(state.laterTimer)
    Object.assign(state, { later: undefined, laterTimer: undefined })
    return later
  }

  #mergedAll(parts: readonly (Queued<Item> | undefined)[]): Queued<Item> | undefined {
    return parts.reduce((all, part) => this.#merged(all, part), undefined)
  }

  #merged(earlier: Queued<Item> | undefined, later: Queued<Item>): Queued<Item>
  #merged(earlier: Queued<Item>, later: Queued<Item> | undefined): Queued<Item>
  #merged(earlier: Queued<Item> | undefined, later: Queued<Item> | undefined): Queued<Item> | undefined
  #merged(earlier: Queued<Item> | undefined, later: Queued<Item> | undefined): Queued<Item> | undefined {
    if (earlier === undefined || later === undefined) return earlier ?? later
    return {
      item: this.#options.merge(earlier.item, later.item),
      since: Math.min(earlier.since, later.since),
    }
  }

  #stateOf(key: string): KeyState<Item> {
    const known = this.#states.get(key)
    if (known !== undefined) return known
    const state = new KeyState<Item>()
    this.#states.set(key, state)
    return state
  }

  #forgetQuiet(key: string, state: KeyState<Item>): void {
    const isQuiet = !state.isProcessing && state.deferTimer === undefined && !hasWaiting(state)
    if (isQuiet && this.#states.get(key) === state) this.#states.delete(key)
  }
}

const hasWaiting = <Item>({ dirty, deferred, later }: KeyState<Item>): boolean =>
  dirty !== undefined || deferred.length > 0 || later !== undefined

const itemsOf = <Item>(queued: readonly Queued<Item>[]): Item[] => queued.map(({ item }) => item)
