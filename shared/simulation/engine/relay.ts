import {
  type Change,
  createPendingChanges,
  createSyncLatency,
  createTokenBucket,
  createVerifier,
  liveDelay,
} from '../../changes/index.ts'
import { BATCH_SIZE } from '../../costs/index.ts'
import type { SimulatedClock } from './clock.ts'
import type { SimulationOptions } from './simulate.ts'
import type { Syncs } from './syncs.ts'
import type { World } from './world.ts'

/** Calls of a look. It takes two to four, and the relay reckons with four. */
const CALLS_PER_SYNC = 4
/** Keys handed to the sender at a time. */
const MAX_KEYS_PER_SEND = 100

/** The relay from a change on until its message is sent. */
export interface Relay {
  add(change: Change): void
  readonly counts: { messages: number; batches: number }
}

interface RelayOptions extends Required<Pick<SimulationOptions, 'coalescingWindow' | 'apiCallsPerSecond'>> {
  readonly clock: SimulatedClock
  readonly world: World
  readonly looks: Syncs
}

export function createRelay({
  clock,
  world,
  looks,
  coalescingWindow,
  apiCallsPerSecond,
}: RelayOptions): Relay {
  const syncLatency = createSyncLatency(clock.now)
  const pace = createTokenBucket(apiCallsPerSecond / CALLS_PER_SYNC, clock.now)
  const counts = { messages: 0, batches: 0 }
  let isPaused = false
  const pending = createPendingChanges({
    now: clock.now,
    timers: clock.timers,
    delayOf: (key) =>
      liveDelay(coalescingWindow, world.stateOf(key).publisher.endpoints, syncLatency.maxMs(key)),
    isSettled: world.isPublished,
    onDue: () => clock.timers.set(send, 0),
  })
  const verifier = createVerifier({
    index: world,
    emit: (changes) => {
      for (const change of changes) pending.add(change)
    },
    timers: clock.timers,
  })
  looks.onWritten = (change) => {
    verifier.written(change)
    syncLatency.written(change)
    pending.written(change)
  }

  function send(): void {
    for (;;) {
      const left = Math.min(MAX_KEYS_PER_SEND, pace.left())
      if (left === 0) {
        pause()
        return
      }
      const due = pending.take(left)
      if (due.length === 0) return
      pace.sent(due.length)
      counts.messages += due.length
      counts.batches += Math.ceil(due.length / BATCH_SIZE)
      for (const { change } of due) {
        syncLatency.sent(change)
        looks.receive(change)
      }
    }
  }

  function pause(): void {
    if (isPaused) return
    isPaused = true
    clock.timers.set(() => {
      isPaused = false
      send()
    }, pace.waitMs())
  }

  return { add: pending.add, counts }
}
