import pLimit from 'p-limit'
import { type Backoff, backoffDelay, sleepUnlessAborted } from '../../../shared/kubernetes/index.ts'
import { errorMessage } from '../../../shared/values/index.ts'
import { type Sink, SinkError } from '../sink.ts'
import {
  type BusEvent,
  type BusFailure,
  type EventBus,
  MAX_ENTRIES,
  MAX_REQUEST_BYTES,
  sizeOf,
} from './event-bus.ts'
import { viewEvents } from './view-event.ts'

interface EventBusSinkOptions {
  readonly bus: EventBus
  /** Requests for the same event before the delivery fails; default 5. */
  readonly attempts?: number
  /** Default 100 ms doubling to 2 s, with full jitter. */
  readonly backoff?: Backoff
  /** Default: the system's. */
  readonly now?: () => Date
}

/**
 * Requests of one delivery at once. One after the other, the events of 10,000 endpoints would take longer
 * than an invocation may, and each attempt would start from the first one.
 */
const CONCURRENCY = 8

/** Creates a sink that sends one event per delta, in order as far as the bus preserves it. */
export function createEventBusSink({
  bus,
  attempts = 5,
  backoff = { baseMs: 100, capMs: 2_000 },
  now = () => new Date(),
}: EventBusSinkOptions): Sink {
  /** Puts what was not taken again; resolves to what was refused to the end. */
  async function putAll(events: readonly BusEvent[], signal: AbortSignal): Promise<BusFailure[]> {
    let left = events
    let failures: BusFailure[] = []
    for (let attempt = 0; attempt < attempts && left.length > 0; attempt++) {
      if (attempt > 0) await sleepUnlessAborted(backoffDelay(attempt - 1, backoff), signal)
      signal.throwIfAborted()
      const answers = await bus.put(left, signal)
      left = left.filter((_, index) => answers[index] !== undefined)
      failures = answers.filter((answer) => answer !== undefined)
    }
    return failures
  }

  return {
    name: `event bus ${bus.name}`,
    holdsState: false,
    async deliver(delivery) {
      const { key, signal } = delivery
      const what = `put events of ${key.namespace}/${key.service} of cluster ${key.cluster} on bus ${bus.name}`
      const limit = pLimit(CONCURRENCY)
      let refused: BusFailure[]
      try {
        // A delivery has one event of an object, so that their order among each other does not matter.
        const batches = batchesOf(viewEvents(delivery, now()))
        refused = (await Promise.all(batches.map((batch) => limit(putAll, batch, signal)))).flat()
      } catch (cause) {
        limit.clearQueue()
        if (signal.aborted) throw signal.reason
        throw new SinkError(`failed to ${what}: ${errorMessage(cause)}`, { cause })
      }
      const [first] = refused
      if (first === undefined) return
      throw new SinkError(`failed to ${what}: ${refused.length} were refused, the first with ${first.code}`)
    },
  }
}

/** Divides events into as few requests as a bus' limits allow. */
function batchesOf(events: readonly BusEvent[]): BusEvent[][] {
  const batches: BusEvent[][] = []
  let size = 0
  for (const event of events) {
    const last = batches.at(-1)
    const more = sizeOf(event)
    if (last === undefined || last.length === MAX_ENTRIES || size + more > MAX_REQUEST_BYTES) {
      batches.push([event])
      size = more
    } else {
      last.push(event)
      size += more
    }
  }
  return batches
}
