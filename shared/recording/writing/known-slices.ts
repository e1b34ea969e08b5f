import { type KeyText, keyText, type ServiceKey } from '../../changes/index.ts'

/** About 10 MB. After a Service is evicted, its next record comes with a new snapshot. */
const MAX_SLICES = 50_000

/** Caches the last recorded version of each slice. */
interface KnownSlices {
  /**
   * Returns the versions of a Service's slices by name. Services that were not used recently may be evicted.
   */
  of(key: ServiceKey): ReadonlyMap<string, string>
  set(key: ServiceKey, slice: string, version: string): void
  delete(key: ServiceKey, slice: string): void
  forget(key: ServiceKey): void
  clear(): void
}

/** @param most maximum number of cached slices */
export function createKnownSlices(most = MAX_SLICES): KnownSlices {
  // Least recently used first.
  const services = new Map<KeyText, Map<string, string>>()
  let size = 0

  function forget(key: KeyText): void {
    size -= services.get(key)?.size ?? 0
    services.delete(key)
  }

  return {
    of: (key) => services.get(keyText(key)) ?? new Map(),
    set(key, slice, version) {
      const text = keyText(key)
      const slices = services.get(text) ?? new Map<string, string>()
      forget(text)
      services.set(text, slices.set(slice, version))
      size += slices.size
      for (const oldest of services.keys()) {
        if (size <= most || oldest === text) break
        forget(oldest)
      }
    },
    delete(key, slice) {
      if (services.get(keyText(key))?.delete(slice)) size--
    },
    forget: (key) => forget(keyText(key)),
    clear() {
      services.clear()
      size = 0
    },
  }
}
