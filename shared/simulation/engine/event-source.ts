import type { Change } from '../../changes/index.ts'
import type { SimulatedClock } from './clock.ts'
import type { Syncs } from './syncs.ts'

/** Maximum number of messages that one request to SQS sends, receives or deletes. */
const MESSAGES_A_REQUEST = 10
/** Requests per call besides sending: one receives, one deletes. */
const REQUESTS_OF_CALL = 2

/** Settings of these names. */
export interface BatchSettings {
  /** Seconds from the first message of a batch. */
  readonly batchWindow: number
  readonly batchSize: number
  /** Maximum number of concurrent calls over all pollers. */
  readonly maximumConcurrency: number
  /** Number of pollers, each of which collects its own batches. */
  readonly pollers: number
  readonly keysPerCluster: number
}

/** The event source mapping: collects messages into batches and calls the function with each. */
export interface EventSource {
  /** Receives messages that were sent together; one poller gets them. */
  receive(changes: readonly Change[]): void
  /** Counts calls, requests that receive and delete, and the milliseconds that calls take. */
  readonly counts: { batches: number; requests: number; callMs: number }
}

interface EventSourceOptions extends BatchSettings {
  readonly clock: SimulatedClock
  readonly syncs: Pick<Syncs, 'receive'>
}

interface Waiting {
  readonly change: Change
  readonly since: number
}

/**
 * Simulates the batches of cli/local, which are those of Lambda's event source mappings:
 * 1. A batch is complete when it is full, or when its window has passed since its first message.
 * 2. It waits while the maximum number of calls is running.
 * 3. A call processes some of its keys concurrently, and ends with the last one.
 */
export function createEventSource({
  clock,
  syncs,
  batchWindow,
  batchSize,
  maximumConcurrency,
  pollers,
  keysPerCluster,
}: EventSourceOptions): EventSource {
  const buffers = Array.from({ length: pollers }, (): Waiting[] => [])
  const counts = { batches: 0, requests: 0, callMs: 0 }
  let calls = 0
  let next = 0

  function receive(changes: readonly Change[]): void {
    // One receive returns at most ten; the next one is by another poller.
    for (let from = 0; from < changes.length; from += MESSAGES_A_REQUEST) {
      const buffer = buffers[next++ % pollers]
      for (const change of changes.slice(from, from + MESSAGES_A_REQUEST))
        buffer?.push({ change, since: clock.now() })
    }
    clock.set(dispatch, 0)
    if (batchWindow > 0) clock.set(dispatch, batchWindow * 1000)
  }

  /** Calls the function with each complete batch, in the order of their first messages. */
  function dispatch(): void {
    while (calls < maximumConcurrency) {
      const due = buffers.filter(isDue).toSorted((a, b) => sinceOf(a) - sinceOf(b))
      const [buffer] = due
      if (buffer === undefined) return
      call(buffer.splice(0, batchSize).map(({ change }) => change))
    }
  }

  const isDue = (buffer: readonly Waiting[]): boolean =>
    buffer.length >= batchSize || sinceOf(buffer) + batchWindow * 1000 <= clock.now()

  function call(changes: readonly Change[]): void {
    const beganAt = clock.now()
    const left = [...changes]
    let working = 0
    calls++
    counts.batches++
    counts.requests += REQUESTS_OF_CALL * Math.ceil(changes.length / MESSAGES_A_REQUEST)
    const work = (): void => {
      for (; working < keysPerCluster && left.length > 0; working++) {
        const change = left.shift()
        if (change !== undefined) syncs.receive(change, worked)
      }
      if (working > 0 || left.length > 0) return
      calls--
      counts.callMs += clock.now() - beganAt
      dispatch()
    }
    const worked = (): void => {
      working--
      work()
    }
    work()
  }

  return { receive, counts }
}

const sinceOf = ([first]: readonly Waiting[]): number => first?.since ?? Number.POSITIVE_INFINITY
