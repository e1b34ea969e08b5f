import type { Change } from './change.ts'
import { mergeChanges } from './change.ts'
import { type KeyText, keyText } from './key.ts'

export interface PendingOptions {
  /** A key is handed out at most once in so many milliseconds; 0: as often as it changes. */
  readonly windowMs: number
  /** Called when a change has become due and none was before. */
  readonly onDue: () => void
}

/**
 * Changes that wait to be sent, one a key. The first change of a quiet key is due at once; further ones within the
 * window are one change, due at its end. What is not sent is put back and stays.
 */
export interface PendingChanges {
  add(change: Change): void
  /** Removes and returns up to `limit` due changes, oldest first. */
  take(limit: number): Change[]
  /** What could not be sent is due again, merged with what came meanwhile. */
  putBack(changes: readonly Change[]): void
  /** Makes everything due, whatever the window: for the end. */
  flush(): void
  /** Keys that wait, due or not. */
  readonly size: number
}

export function createPendingChanges({ windowMs, onDue }: PendingOptions): PendingChanges {
  const due = new Map<KeyText, Change>()
  // Keys handed out less than a window ago; the change is what came since.
  const resting = new Map<KeyText, { timer: NodeJS.Timeout; change: Change | undefined }>()
  let waiting = 0

  function makeDue(key: KeyText, change: Change): void {
    const known = due.get(key)
    due.set(key, known === undefined ? change : mergeChanges(known, change))
    if (known === undefined && due.size === 1) onDue()
  }

  function endRest(key: KeyText): void {
    const rest = resting.get(key)
    resting.delete(key)
    clearTimeout(rest?.timer)
    if (rest?.change === undefined) return
    waiting--
    makeDue(key, rest.change)
  }

  function startRest(key: KeyText): void {
    if (windowMs === 0) return
    const timer = setTimeout(endRest, windowMs, key)
    resting.set(key, { timer, change: undefined })
  }

  return {
    add(change) {
      const key = keyText(change)
      const rest = due.has(key) ? undefined : resting.get(key)
      if (rest === undefined) return makeDue(key, change)
      if (rest.change === undefined) waiting++
      rest.change = rest.change === undefined ? change : mergeChanges(rest.change, change)
    },
    take(limit) {
      const taken: Change[] = []
      for (const [key, change] of due) {
        if (taken.length === limit) break
        due.delete(key)
        taken.push(change)
        startRest(key)
      }
      return taken
    },
    putBack(changes) {
      for (const change of changes) {
        const key = keyText(change)
        endRest(key)
        makeDue(key, change)
      }
    },
    flush() {
      for (const key of [...resting.keys()]) endRest(key)
    },
    get size() {
      return due.size + waiting
    },
  }
}
