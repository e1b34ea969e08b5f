import {
  type KeyText,
  keyText,
  parseKeyText,
  type ServiceKey,
  type SliceState,
} from '../../shared/changes/index.ts'
import { inTurns, type NextTurn } from '../../shared/kubernetes/index.ts'

/** Checks of the keys in a delay: what is late by it is late by a twentieth more. */
const CHECKS_PER_DELAY = 20

/** Delays for which writes can put a key off: a Service that is always written may still miss a change. */
const MAX_DELAYS = 15

interface StandbyOptions {
  /** Time for which a key may be wrong before it is sent. */
  readonly delayMs: number
  /** A key that stays wrong though it was sent is sent again after twice the time, up to this one. */
  readonly maxMs: number
  readonly compareWithDesired: (key: ServiceKey) => SliceState
  /** Shared with what else takes long. */
  readonly nextTurn: NextTurn
  /** Called with a key whose slices stayed wrong, or whose state is unknown and were not written. */
  readonly onStale: (key: ServiceKey, state: Exclude<SliceState, 'right'>) => void
  /** Called with a key that is forgotten without being sent. */
  readonly onSettled?: (key: ServiceKey) => void
}

interface WatchedKey {
  readonly key: ServiceKey
  dueAt: number
  /** Time from which writes put it off no longer. */
  lastAt: number
  pauseMs: number
  /** Time of the first change that no write has followed. */
  openSince: number | undefined
  /** Time of the last one, where there are several: the next write may be of the earlier ones alone. */
  againAt: number | undefined
}

export type Standby = ReturnType<typeof createStandby>

/**
 * Remembers the keys that changed and finds those whose slices stay wrong, as when the relay that should
 * send them does not:
 * 1. A key is compared once the delay has passed since it changed, or since its slices were last written: a
 *    write shows that a function is at work on it. A change after that write is given half the delay.
 * 2. One that is right is forgotten.
 * 3. One that is wrong is sent, and compared again after a pause that grows until something is written.
 * 4. One whose state is unknown is sent once, unless its slices were written since it changed, and
 *    dropped. One that changed again before that write is sent all the same, unless a further write follows:
 *    the first may have been under way for the earlier change, by a relay that is gone by now.
 */
export function createStandby({
  delayMs,
  maxMs,
  compareWithDesired,
  nextTurn,
  onStale,
  onSettled,
}: StandbyOptions) {
  const watched = new Map<KeyText, WatchedKey>()
  const timer = setInterval(() => void sync(), delayMs / CHECKS_PER_DELAY)
  let isSyncing = false

  async function sync(): Promise<void> {
    if (isSyncing || watched.size === 0) return
    isSyncing = true
    const due = watched.entries().filter(([, { dueAt }]) => performance.now() >= dueAt)
    for await (const [text, each] of inTurns(due, nextTurn)) settle(text, each)
    isSyncing = false
  }

  function settle(text: KeyText, each: WatchedKey): void {
    const earliest = (each.openSince ?? Number.NEGATIVE_INFINITY) + delayMs / 2
    if (performance.now() < earliest) {
      each.dueAt = earliest
      return
    }
    const state = compareWithDesired(each.key)
    if (state !== 'wrong') watched.delete(text)
    if (state === 'right' || (state === 'unknown' && each.openSince === undefined)) {
      onSettled?.(each.key)
      return
    }
    onStale(each.key, state)
    each.dueAt = performance.now() + each.pauseMs
    each.lastAt = each.dueAt + MAX_DELAYS * delayMs
    each.pauseMs = Math.min(2 * each.pauseMs, maxMs)
  }

  return {
    changed(changed: ServiceKey): void {
      const text = keyText(changed)
      const key = parseKeyText(text)
      const now = performance.now()
      const dueAt = now + delayMs
      const known = watched.get(text)
      if (known === undefined) {
        const lastAt = dueAt + MAX_DELAYS * delayMs
        watched.set(text, { key, dueAt, lastAt, pauseMs: delayMs, openSince: now, againAt: undefined })
        return
      }
      known.dueAt = Math.min(known.dueAt, dueAt)
      if (known.openSince === undefined) known.openSince = now
      else known.againAt = now
    },
    /** Notes that we wrote or deleted a slice of the Service. */
    written(key: ServiceKey): void {
      const known = watched.get(keyText(key))
      if (known === undefined) return
      known.openSince = known.againAt
      known.againAt = undefined
      known.pauseMs = delayMs
      known.dueAt = Math.min(performance.now() + delayMs, known.lastAt)
    },
    stop(): void {
      clearInterval(timer)
      watched.clear()
    },
  }
}
