interface BoundedCacheOptions {
  /**
   * Maximum sum of the sizes of all entries; above it the least recently used ones are evicted, a tenth of it
   * at once. Default: 50,000, some 10 MB of small entries of size 1.
   */
  readonly maxSize?: number
  /** Milliseconds until an entry expires; default: never. */
  readonly ttlMs?: number
  /** Milliseconds; default `performance.now`. */
  readonly now?: () => number
  /**
   * Whether the clock may be set back. All is forgotten then, as it would seem younger than it is. Default
   * false.
   */
  readonly isSettable?: boolean
}

interface EntryOptions {
  /** Default 1. */
  readonly size?: number
  /** Default: that of the cache. */
  readonly ttlMs?: number
  /** Time from which its milliseconds count; default: now. */
  readonly since?: number
}

interface Entry<V> {
  readonly value: V
  readonly size: number
  /** In this millisecond it is still there. */
  readonly until: number
}

/**
 * Bounds the memory of a function: messages may name any Service, also one that does not exist. An evicted
 * entry costs one more sync or retry. One that has expired takes its size until it is asked for or evicted.
 */
export class BoundedCache<K, V> {
  /** The least recently used one first. */
  readonly #entries = new Map<K, Entry<V>>()
  readonly #maxSize: number
  readonly #ttlMs: number
  readonly #now: () => number
  readonly #isSettable: boolean
  #latest = Number.NEGATIVE_INFINITY
  #size = 0

  constructor({
    maxSize = 50_000,
    ttlMs = Infinity,
    now = () => performance.now(),
    isSettable = false,
  }: BoundedCacheOptions = {}) {
    this.#maxSize = maxSize
    this.#ttlMs = ttlMs
    this.#now = now
    this.#isSettable = isSettable
  }

  /** Reads the cache's clock. */
  now(): number {
    const now = this.#now()
    if (this.#isSettable && now < this.#latest) {
      this.#entries.clear()
      this.#size = 0
    }
    this.#latest = now
    return now
  }

  /** Returns a value, which counts as used by this. */
  get(key: K): V | undefined {
    const entry = this.#find(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** Reports whether there is a value, without using it. */
  has(key: K): boolean {
    return this.#find(key) !== undefined
  }

  /** Returns all values, the least recently used one first, without using them. */
  values(): V[] {
    const now = this.now()
    for (const [key, { until }] of this.#entries) if (now > until) this.delete(key)
    return [...this.#entries.values()].map(({ value }) => value)
  }

  /** An entry that is larger than the cache is not cached. */
  set(key: K, value: V, { size = 1, ttlMs = this.#ttlMs, since = this.now() }: EntryOptions = {}): void {
    this.delete(key)
    if (size > this.#maxSize) return
    this.#entries.set(key, { value, size, until: since + ttlMs })
    this.#size += size
    if (this.#size > this.#maxSize) this.#evict()
  }

  delete(key: K): void {
    this.#size -= this.#entries.get(key)?.size ?? 0
    this.#entries.delete(key)
  }

  /**
   * Each iterator passes over the entries that were deleted, hence a tenth at once. One that is held between
   * the calls would hold each earlier table of the map, with its values.
   */
  #evict(): void {
    const size = this.#maxSize - Math.floor(this.#maxSize / 10)
    for (const key of this.#entries.keys()) {
      this.delete(key)
      if (this.#size <= size || this.#entries.size === 1) return
    }
  }

  #find(key: K): Entry<V> | undefined {
    const now = this.now()
    const entry = this.#entries.get(key)
    if (entry === undefined || now <= entry.until) return entry
    this.delete(key)
    return undefined
  }
}
