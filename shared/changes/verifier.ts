import { type MonotonicClock, monotonicClock, type Timer } from '../kubernetes/index.ts'
import type { ClusterIndex } from './cluster-index/cluster-index.ts'
import type { Change } from './key-queue/change.ts'
import { type KeyText, keyText, type ServiceKey } from './key-queue/key.ts'

interface VerifierOptions {
  readonly index: Pick<ClusterIndex, 'verify'>
  /** Called with what was written wrongly. */
  readonly emit: (changes: readonly Change[]) => void
  /** Default: that of the machine. */
  readonly clock?: MonotonicClock
}

/**
 * One sync writes several slices, and the watches of Pods and slices are not in step: by then both have
 * delivered all of it. A wrong write is corrected that much later, in milliseconds.
 */
const VERIFY_AFTER_MS = 200

/** Verifies what functions have written, a moment later. */
export class Verifier {
  readonly #options: VerifierOptions
  readonly #clock: MonotonicClock
  readonly #waiting = new Map<KeyText, { readonly key: ServiceKey; readonly timer: Timer }>()
  readonly #wrong = new Map<KeyText, ServiceKey>()

  constructor(options: VerifierOptions) {
    this.#options = options
    this.#clock = options.clock ?? monotonicClock
  }

  /** Notes that the watch delivered a write of a slice of the Service. */
  written(key: ServiceKey): void {
    const text = keyText(key)
    if (this.#waiting.has(text)) return
    this.#waiting.set(text, { key, timer: this.#clock.set(() => this.#verify(key), VERIFY_AFTER_MS) })
  }

  /** Returns keys of which something was written that is not verified yet, or was wrong when it was. */
  keys(): Iterable<KeyText> {
    return new Set([...this.#waiting.keys(), ...this.#wrong.keys()])
  }

  /**
   * Verifies again what was wrong. Call it after a list: an object that changed and changed back meanwhile is
   * no change to it, and a function may have read it in between.
   */
  listed(): void {
    for (const key of [...this.#wrong.values()]) this.#verify(key)
  }

  /** Verifies at once what is left. */
  end(): void {
    for (const { key, timer } of [...this.#waiting.values()]) {
      this.#clock.clear(timer)
      this.#verify(key)
    }
  }

  #verify(key: ServiceKey): void {
    const text = keyText(key)
    this.#waiting.delete(text)
    this.#wrong.delete(text)
    const changes = this.#options.index.verify(key)
    if (changes.length === 0) return
    this.#wrong.set(text, key)
    this.#options.emit(changes)
  }
}
