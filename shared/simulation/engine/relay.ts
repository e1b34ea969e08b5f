import { type Change, createChangeQueue, keyText, RateLimiter, Verifier } from '../../changes/index.ts'
import { BATCH_SIZE } from '../../costs/index.ts'
import type { Timer } from '../../kubernetes/index.ts'
import type { SimulatedClock } from './clock.ts'
import type { EventSource } from './event-source.ts'
import type { Syncs } from './syncs.ts'
import type { World } from './world.ts'

/** Keys handed to the sender at a time. */
const MAX_KEYS_PER_SEND = 100

/** The relay from a change on until its message is sent. */
export interface Relay {
  add(change: Change): void
  readonly counts: { messages: number; sends: number }
}

interface RelayOptions {
  readonly coalescingWindow: 'auto' | number
  readonly apiCallsPerSecond: number
  readonly clock: SimulatedClock
  readonly world: World
  readonly syncs: Pick<Syncs, 'onWritten'>
  readonly source: Pick<EventSource, 'receive'>
  readonly onSent: (atMs: number, changes: readonly Change[]) => void
}

export function createRelay({
  clock,
  world,
  syncs,
  source,
  onSent,
  coalescingWindow,
  apiCallsPerSecond,
}: RelayOptions): Relay {
  const limiter = new RateLimiter({
    apiCallsPerSecond,
    window: coalescingWindow,
    endpointCount: (key) => world.stateOf(key).publisher.endpoints,
    now: clock.now,
  })
  const counts = { messages: 0, sends: 0 }
  let timer: Timer | undefined
  const queue = createChangeQueue({
    clock,
    processingTime: (key) => limiter.when(key),
    isSettled: world.isPublished,
    onReady: () => clock.set(send, 0),
  })
  const add = (change: Change): void => queue.add(change)
  const verifier = new Verifier({ index: world, emit: (changes) => changes.forEach(add), clock })
  syncs.onWritten = (change) => {
    verifier.written(change)
    limiter.written(change)
    queue.done(keyText(change))
    if (timer !== undefined) resume()
  }

  function send(): void {
    for (;;) {
      const left = Math.min(MAX_KEYS_PER_SEND, limiter.tokens)
      if (left === 0) {
        timer ??= clock.set(resume, Math.ceil(limiter.waitMs(1)))
        return
      }
      const ready = queue.get(left)
      if (ready.length === 0) return
      limiter.take(ready.length)
      counts.messages += ready.length
      counts.sends += Math.ceil(ready.length / BATCH_SIZE)
      const changes = ready.map(({ item }) => item)
      for (const change of changes) limiter.sent(change)
      onSent(clock.now(), changes)
      source.receive(changes)
    }
  }

  function resume(): void {
    clock.clear(timer)
    timer = undefined
    send()
  }

  return { add, counts }
}
