import { type MonotonicClock, monotonicClock, type Timer } from '../kubernetes/index.ts'
import type { ClusterIndex } from './cluster-index/index.ts'
import type { Change } from './key-queue/index.ts'
import { type KeyText, keyText, type ServiceKey } from './key-queue/index.ts'

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
  /** Returns keys of which something was written that is not verified yet. */
  keys(): Iterable<KeyText>
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

  function verify(key: ServiceKey): void {
    waiting.delete(keyText(key))
    const changes = index.verify(key)
    if (changes.length > 0) emit(changes)
  }

  return {
    written(key) {
      const text = keyText(key)
      if (waiting.has(text)) return
      waiting.set(text, { key, timer: clock.set(() => verify(key), VERIFY_AFTER_MS) })
    },
    keys: () => waiting.keys(),
    end() {
      for (const { key, timer } of [...waiting.values()]) {
        clock.clear(timer)
        verify(key)
      }
    },
  }
}
