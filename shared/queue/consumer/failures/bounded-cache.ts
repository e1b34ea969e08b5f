import { LRUCache } from 'lru-cache'

export interface BoundedCacheOptions {
  /**
   * Most keys that are kept; beyond them the least recently used one is dropped. Default 50,000 keys: some 10
   * MB.
   */
  readonly most?: number
  /** After so many milliseconds an entry is gone; default: never. */
  readonly ttlMs?: number
  /** Milliseconds; default `performance.now`. */
  readonly now?: () => number
}

/**
 * Bounds what a function remembers. Messages may name any Service, also one that does not exist; whatever is
 * forgotten early is only looked at or tried once more.
 */
export function createBoundedCache<K extends {}, V extends {}>({
  most = 50_000,
  ttlMs,
  now = () => performance.now(),
}: BoundedCacheOptions): LRUCache<K, V> {
  return new LRUCache({
    // With `max` the memory for all entries would be taken at once.
    maxSize: most,
    sizeCalculation: () => 1,
    ttlResolution: 0,
    perf: { now },
    ...(ttlMs !== undefined && { ttl: ttlMs }),
  })
}
