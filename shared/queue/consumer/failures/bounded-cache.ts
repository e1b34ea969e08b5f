import { LRUCache } from 'lru-cache'

export interface BoundedCacheOptions {
  /**
   * Maximum number of keys; above it the least recently used one is evicted. Default: 50,000, some 10 MB.
   */
  readonly most?: number
  /** Milliseconds until an entry expires; default: never. */
  readonly ttlMs?: number
  /** Milliseconds; default `performance.now`. */
  readonly now?: () => number
}

/**
 * Bounds the memory of a function: messages may name any Service, also one that does not exist. An evicted
 * entry costs one more sync or retry.
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
