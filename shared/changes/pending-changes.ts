import type { Change } from './change.ts'
import { mergeChanges } from './change.ts'
import { type KeyText, keyText } from './key.ts'

export interface PendingOptions {
  /** A key is handed out at most once in so many milliseconds; 0: as often as it changes. */
  readonly windowMs: number
  /** Called when a change has become due and none was before. */
  readonly onDue: () => void
  /** Milliseconds of a clock that never goes back; default `performance.now`. */
  readonly now?: () => number
}

/** A change that waits to be sent. */
export interface WaitingChange {
  readonly change: Change
  /** When the first of the changes that this stands for came, by the clock of the options. */
  readonly since: number
}

/**
 * Changes that wait to be sent, one a key. The first change of a quiet key is due at once; further ones within the
 * window are one change, due at its end. What is not sent is put back and stays.
 */
export interface PendingChanges {
  add(change: Change): void
  /** Removes and returns up to `limit` due changes, oldest first. */
  take(limit: number): WaitingChange[]
  /** What could not be sent is due again, merged with what came meanwhile. */
  putBack(changes: readonly WaitingChange[]): void
  /** Makes everything due, whatever the window: for the end. */
  flush(): void
  /** Keys that wait, due or not. */
  readonly size: number
  /** What waits, due or not. */
  waiting(): Iterable<WaitingChange>
}

export function createPendingChanges({
  windowMs,
  onDue,
  now = () => performance.now(),
}: PendingOptions): PendingChanges {
  const due = new Map<KeyText, WaitingChange>()
  // Keys handed out less than a window ago, with what came since.
  const resting = new Map<KeyText, { timer: NodeJS.Timeout; waiting: WaitingChange | undefined }>()
  let restingChanges = 0

  function makeDue(key: KeyText, change: WaitingChange): void {
    const known = due.get(key)
    due.set(key, merge(known, change))
    if (known === undefined && due.size === 1) onDue()
  }

  function endRest(key: KeyText): void {
    const rest = resting.get(key)
    resting.delete(key)
    clearTimeout(rest?.timer)
    if (rest?.waiting === undefined) return
    restingChanges--
    makeDue(key, rest.waiting)
  }

  function startRest(key: KeyText): void {
    if (windowMs === 0) return
    const timer = setTimeout(endRest, windowMs, key)
    resting.set(key, { timer, waiting: undefined })
  }

  return {
    add(change) {
      const key = keyText(change)
      const rest = due.has(key) ? undefined : resting.get(key)
      const waiting = { change, since: now() }
      if (rest === undefined) return makeDue(key, waiting)
      if (rest.waiting === undefined) restingChanges++
      rest.waiting = merge(rest.waiting, waiting)
    },
    take(limit) {
      const taken: WaitingChange[] = []
      for (const [key, change] of due) {
        if (taken.length === limit) break
        due.delete(key)
        taken.push(change)
        startRest(key)
      }
      return taken
    },
    putBack(changes) {
      for (const waiting of changes) {
        const key = keyText(waiting.change)
        endRest(key)
        makeDue(key, waiting)
      }
    },
    flush() {
      for (const key of [...resting.keys()]) endRest(key)
    },
    get size() {
      return due.size + restingChanges
    },
    *waiting() {
      yield* due.values()
      for (const { waiting } of resting.values()) if (waiting !== undefined) yield waiting
    },
  }
}

function merge(known: WaitingChange | undefined, later: WaitingChange): WaitingChange {
  if (known === undefined) return later
  return {
    change: mergeChanges(known.change, later.change),
    since: Math.min(known.since, later.since),
  }
}
