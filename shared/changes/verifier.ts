import { type MonotonicClock, monotonicClock, type Timer } from '../kubernetes/index.ts'
import type { ClusterIndex } from './cluster-index/cluster-index.ts'
import type { Change } from './key-queue/change.ts'
import { type KeyText, keyText, type ServiceKey } from './key-queue/key.ts'

export interface VerifierOptions {
  readonly index: Pick<ClusterIndex, 'verify'>
  /** Called with what was written wrongly. */
  readonly emit: (changes: readonly Change[]) => void
  /** Default: that of the machine. */
  readonly clock?: MonotonicClock
}

/** Verifies what functions have written, a moment later. */
export interface Verifier {
  /** Notes that the watch delivered a write of a slice of the Service. */
  written(key: ServiceKey): void
  /** Returns keys of which something was written that is not verified yet, or was wrong when it was. */
  keys(): Iterable<KeyText>
  /**
   * Verifies again what was wrong. Call it after a list: an object that changed and changed back meanwhile is
   * no change to it, and a function may have read it in between.
   */
  listed(): void
  /** Verifies at once what is left. */
  end(): void
}

/**
 * One sync writes several slices, and the watches of Pods and slices are not in step: by then both have
 * delivered all of it. A wrong write is corrected that much later, in milliseconds.
 */
const VERIFY_AFTER_MS = 200

export function createVerifier({ index, emit, clock = monotonicClock }: VerifierOptions): Verifier {
  const waiting = new Map<KeyText, { readonly key: ServiceKey; readonly timer: Timer }>()
  const wrong = new Map<KeyText, ServiceKey>()

  function verify(key: ServiceKey): void {
    const text = keyText(key)
    waiting.delete(text)
    wrong.delete(text)
    const changes = index.verify(key)
    if (changes.length === 0) return
    wrong.set(text, key)
    emit(changes)
  }

  return {
    written(key) {
      const text = keyText(key)
      if (waiting.has(text)) return
      waiting.set(text, { key, timer: clock.set(() => verify(key), VERIFY_AFTER_MS) })
    },
    keys: () => new Set([...waiting.keys(), ...wrong.keys()]),
    listed() {
      for (const key of [...wrong.values()]) verify(key)
    },
    end() {
      for (const { key, timer } of [...waiting.values()]) {
        clock.clear(timer)
        verify(key)
      }
    },
  }
}
