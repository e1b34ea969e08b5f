import { type KeyText, keyText, type ServiceKey } from '../../shared/changes/index.ts'

/** Remembers which keys changed not long ago. */
export interface RecentKeys {
  add(keys: readonly ServiceKey[]): void
  has(key: ServiceKey): boolean
}

/** @param now milliseconds of a clock that never goes back; default `performance.now` */
export function createRecentKeys(forMs: number, now = (): number => performance.now()): RecentKeys {
  // In the order of their last changes.
  const changedAt = new Map<KeyText, number>()

  function forget(): void {
    for (const [key, at] of changedAt) {
      if (now() - at < forMs) return
      changedAt.delete(key)
    }
  }

  return {
    add(keys) {
      forget()
      for (const key of keys) {
        const text = keyText(key)
        changedAt.delete(text)
        changedAt.set(text, now())
      }
    },
    has(key) {
      forget()
      return changedAt.has(keyText(key))
    },
  }
}
