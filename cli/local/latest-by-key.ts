import { type KeyText, keyText, type ServiceKey } from '../../shared/changes/index.ts'

/**
 * What the last sync of each key gave, of the keys that this process has synced within a time. Where several
 * processes have one queue, any of them may sync a key: what was not synced here for as long as an audit
 * takes was synced by another one, or its cluster is gone.
 */
export class LatestByKey<Value> {
  /** The oldest first. */
  readonly #entries = new Map<KeyText, { readonly value: Value; readonly at: number }>()
  readonly #maxAgeMs: number
  readonly #now: () => number

  /**
   * @param maxAgeMs default: nothing is forgotten
   * @param now milliseconds since the epoch
   */
  constructor(maxAgeMs = Number.POSITIVE_INFINITY, now: () => number = Date.now) {
    this.#maxAgeMs = maxAgeMs
    this.#now = now
  }

  get(key: ServiceKey): Value | undefined {
    this.#expire()
    return this.#entries.get(keyText(key))?.value
  }

  /** @param value undefined: there is nothing to remember */
  set(key: ServiceKey, value: Value | undefined): void {
    this.#entries.delete(keyText(key))
    if (value !== undefined) this.#entries.set(keyText(key), { value, at: this.#now() })
  }

  values(): Value[] {
    this.#expire()
    return [...this.#entries.values()].map(({ value }) => value)
  }

  #expire(): void {
    for (const [key, { at }] of this.#entries) {
      if (this.#now() - at <= this.#maxAgeMs) return
      this.#entries.delete(key)
    }
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
