import {
  type Change,
  type ClusterIndex,
  type KeyText,
  keyText,
  type ServiceKey,
} from '../../shared/changes/index.ts'

export interface VerifierOptions {
  readonly index: Pick<ClusterIndex, 'verify'>
  /** Called with what was written wrongly. */
  readonly emit: (changes: readonly Change[]) => void
}

/** Verifies what functions have written, a moment later. */
export interface Verifier {
  /** Notes that a slice of the Service was seen written. */
  written(key: ServiceKey): void
  /** Returns keys of which something was written that is not verified yet. */
  keys(): Iterable<KeyText>
  /** Verifies at once what is left. */
  end(): void
}

/**
 * One look writes several slices, and the watches of Pods and slices are not in step: by then both have told
 * all of it. A write that is wrong waits so much longer, in milliseconds, to be put right.
 */
const VERIFY_AFTER_MS = 200

export function createVerifier({ index, emit }: VerifierOptions): Verifier {
  const timers = new Map<KeyText, { readonly key: ServiceKey; readonly timer: NodeJS.Timeout }>()

  function verify(key: ServiceKey): void {
    timers.delete(keyText(key))
    const changes = index.verify(key)
    if (changes.length > 0) emit(changes)
  }

  return {
    written(key) {
      const text = keyText(key)
      if (!timers.has(text)) timers.set(text, { key, timer: setTimeout(verify, VERIFY_AFTER_MS, key) })
    },
    keys: () => timers.keys(),
    end() {
      for (const { key, timer } of [...timers.values()]) {
        clearTimeout(timer)
        verify(key)
      }
    },
  }
}
