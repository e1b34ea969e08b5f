import { type KeyText, keyText, type ServiceKey } from '../changes/index.ts'

/** About 10 MB. Of a Service that is forgotten, a snapshot is recorded once more. */
const MAX_SLICES = 50_000

/** Remembers up to which version a recording tells of slices. */
export interface KnownSlices {
  /**
   * Returns the versions of a Service's slices by name; a Service that was not asked for lately may be
   * forgotten.
   */
  of(key: ServiceKey): ReadonlyMap<string, string>
  set(key: ServiceKey, slice: string, version: string): void
  delete(key: ServiceKey, slice: string): void
  forget(key: ServiceKey): void
  clear(): void
}

/** @param most slices that are remembered */
export function createKnownSlices(most = MAX_SLICES): KnownSlices {
  // In the order of their last use.
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
