import type { Change } from './change.ts'
import { createDelayedKey, type DelayedKey } from './delayed-key.ts'
import { type KeyText, keyText, type ServiceKey } from './key.ts'
import type { Delay } from './send-delay.ts'
import { systemTimers, type Timers } from './timers.ts'
import { mergeWaiting, type WaitingChange } from './waiting-change.ts'

export interface PendingOptions {
  /** Returns how long a key rests; called as it is handed out. */
  readonly delayOf: (key: ServiceKey) => Delay
  /**
   * Whether nobody need look for what a change tells; asked of those that rested, as a look has gone on
   * meanwhile. Default: no.
   */
  readonly isSettled?: (change: Change) => boolean
  /** Called when a change has become due and none was before. */
  readonly onDue: () => void
  /** Milliseconds of a clock that never goes back; default `performance.now`. */
  readonly now?: () => number
  /** Timers by the same clock; default those of the machine. */
  readonly timers?: Timers
}

/**
 * Changes that wait to be sent, one a key. The first change of a quiet key is due at once; further ones while
 * it rests are one change, due at the end of the rest; patient ones are another, due at the end of theirs.
 * What is not sent is put back and stays.
 */
export interface PendingChanges {
  add(change: Change): void
  /**
   * Removes and returns up to `limit` due changes, oldest first, and with each whatever a look at it covers.
   */
  take(limit: number): WaitingChange[]
  /** Puts back what could not be sent: it is due again, merged with what came meanwhile. */
  putBack(changes: readonly WaitingChange[]): void
  /** Notes that the Service's slices were seen written: its rest may end. */
  written(key: ServiceKey): void
  /** Makes everything due, whatever rests: for the end. */
  flush(): void
  /** Keys that wait, due or not. */
  readonly size: number
  /** Returns the changes that wait, due or not; up to two a key. */
  waiting(): Iterable<WaitingChange>
}

export function createPendingChanges({
  delayOf,
  isSettled = () => false,
  onDue,
  now = () => performance.now(),
  timers = systemTimers,
}: PendingOptions): PendingChanges {
  const due = new Map<KeyText, WaitingChange>()
  // Keys handed out not long ago.
  const resting = new Map<KeyText, DelayedKey>()

  function makeDue(key: KeyText, change: WaitingChange): void {
    const known = due.get(key)
    due.set(key, mergeWaiting(known, change))
    if (known === undefined && due.size === 1) onDue()
  }

  function takeDue(key: KeyText, isEnd = false): WaitingChange | undefined {
    const rest = resting.get(key)
    const due = rest?.take(isEnd)
    if (rest?.isQuiet) resting.delete(key)
    return due
  }

  function release(key: KeyText): void {
    const due = takeDue(key)
    if (due !== undefined && !isSettled(due.change)) makeDue(key, due)
  }

  function startDelay(key: KeyText, { deferrable, ...change }: Change): void {
    const rest = resting.get(key) ?? createDelayedKey(() => release(key), timers)
    rest.rest(delayOf(change))
    if (deferrable) rest.deferLowPriority()
    if (!rest.isQuiet) resting.set(key, rest)
  }

  return {
    add(change) {
      const key = keyText(change)
      const rest = resting.get(key)
      const waiting = { change, since: now() }
      if (rest === undefined) return makeDue(key, waiting)
      rest.add(waiting)
      release(key)
    },
    take(limit) {
      const taken: WaitingChange[] = []
      for (const [key, waiting] of due) {
        if (taken.length === limit) break
        due.delete(key)
        const { change, since } = resting.get(key)?.cover(waiting) ?? waiting
        startDelay(key, waiting.change)
        const { deferrable: _, ...sent } = change
        taken.push({ change: sent, since })
      }
      return taken
    },
    putBack(changes) {
      for (const waiting of changes) {
        const key = keyText(waiting.change)
        makeDue(key, mergeWaiting(waiting, takeDue(key, true)))
      }
    },
    written(key) {
      resting.get(keyText(key))?.written()
    },
    flush() {
      for (const key of [...resting.keys()]) {
        const due = takeDue(key, true)
        if (due !== undefined) makeDue(key, due)
      }
    },
    get size() {
      let delayedChanges = 0
      for (const [key, rest] of resting) if (!due.has(key) && rest.waiting().length > 0) delayedChanges++
      return due.size + delayedChanges
    },
    *waiting() {
      yield* due.values()
      for (const rest of resting.values()) yield* rest.waiting()
    },
  }
}
