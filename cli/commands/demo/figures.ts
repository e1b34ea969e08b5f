import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalObserver } from '../../local/index.ts'

export type Figures = ReturnType<typeof createFigures>

const STEP_MS = 10
const MAX_MS = 2_000

export function createFigures() {
  const totals = { events: 0, keys: 0, batches: 0, reconciles: 0, writes: 0 }
  let handled = 0
  return {
    /** Counts of all that went through the path so far; events are those after the first lists. */
    totals: totals as Readonly<typeof totals>,
    /** Waits until every key that was sent came in a batch that has ended, for two seconds at most. */
    async untilHandled(): Promise<void> {
      for (let waited = 0; handled < totals.keys && waited < MAX_MS; waited += STEP_MS) await sleep(STEP_MS)
    },
    observer: {
      onEvent() {
        totals.events++
      },
      onSent(keys) {
        totals.keys += keys
      },
      onBatch({ messages }) {
        totals.batches++
        handled += messages
      },
      onReconciled({ created, updated, deleted }) {
        totals.reconciles++
        totals.writes += created + updated + deleted
      },
    } satisfies LocalObserver,
  }
}
