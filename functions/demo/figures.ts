import { setTimeout as sleep } from 'node:timers/promises'
import { type Change, type KeyText, keyText } from '../../shared/changes/index.ts'
import type { LocalObserver } from '../local/index.ts'

/** Counts of all that went through the path so far. */
export interface Totals {
  /** Objects that the watches brought after the first lists. */
  events: number
  /** Keys that the queue accepted. */
  keys: number
  batches: number
  /** Number of synced Services. */
  reconciles: number
  /** Slices created, updated and deleted. */
  writes: number
}

/** Counts the calls of an observer, and measures the duration of changes. */
export interface Figures {
  readonly observer: LocalObserver
  readonly totals: Readonly<Totals>
  /** Waits until every key that was sent came in a batch that has ended, for two seconds at most. */
  untilHandled(): Promise<void>
  /**
   * Returns the times from the first event of a key to the write that answers it, in milliseconds, in the
   * order of time.
   */
  latencies(): readonly number[]
}

const STEP_MS = 10
const MAX_MS = 2_000

export function createFigures(): Figures {
  const totals: Totals = { events: 0, keys: 0, batches: 0, reconciles: 0, writes: 0 }
  const unanswered = new Map<KeyText, number>()
  const latencies: number[] = []
  let handled = 0
  return {
    totals,
    async untilHandled() {
      for (let waited = 0; handled < totals.keys && waited < MAX_MS; waited += STEP_MS) await sleep(STEP_MS)
    },
    latencies: () => [...latencies],
    observer: {
      onEvent(changes: readonly Change[]) {
        totals.events++
        for (const change of changes) {
          const key = keyText(change)
          if (!unanswered.has(key)) unanswered.set(key, performance.now())
        }
      },
      onSent(keys) {
        totals.keys += keys
      },
      onBatch({ messages }) {
        totals.batches++
        handled += messages
      },
      onSettled(key) {
        unanswered.delete(keyText(key))
      },
      onReconciled({ key, created, updated, deleted }) {
        totals.reconciles++
        const writes = created + updated + deleted
        const since = unanswered.get(keyText(key))
        unanswered.delete(keyText(key))
        if (writes === 0) return
        totals.writes += writes
        if (since !== undefined) latencies.push(performance.now() - since)
      },
    },
  }
}
