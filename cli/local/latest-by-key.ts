import { type KeyText, keyText, type ServiceKey } from '../../shared/changes/index.ts'
import { BoundedCache } from '../../shared/values/index.ts'

/**
 * What the last sync of each key gave, of the keys that this process has synced within a time. Where several
 * processes have one queue, any of them may sync a key: what was not synced here for as long as an audit
 * takes was synced by another one, or its cluster is gone.
 */
export class LatestByKey<Value> {
  readonly #cache: BoundedCache<KeyText, Value>

  /**
   * @param maxAgeMs default: nothing is forgotten
   * @param now milliseconds since the epoch
   */
  constructor(maxAgeMs = Infinity, now: () => number = Date.now) {
    this.#cache = new BoundedCache({ maxSize: Infinity, ttlMs: maxAgeMs, now })
  }

  get(key: ServiceKey): Value | undefined {
    return this.#cache.get(keyText(key))
  }

  /** @param value undefined: there is nothing to remember */
  set(key: ServiceKey, value: Value | undefined): void {
    const text = keyText(key)
    if (value === undefined) this.#cache.delete(text)
    else this.#cache.set(text, value)
  }

  values(): Value[] {
    return this.#cache.values()
  }
}

/** Makes one for values of any kind. */
export type NewLatest = <Value>() => LatestByKey<Value>

/**
 * Returns the milliseconds in which some process has synced every key: those of an audit, and a quarter more
 * for its messages to be handled.
 * @param auditInterval in seconds
 */
export const syncedWithinMs = (auditInterval: number): number => auditInterval * 1250
