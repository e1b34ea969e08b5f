import { type BusEvent, type EventBus, MAX_ENTRIES, MAX_REQUEST_BYTES, sizeOf } from './event-bus.ts'

/** An in-memory bus that stores its events. */
export interface MemoryEventBus extends EventBus {
  readonly events: readonly BusEvent[]
}

/** Refuses what EventBridge refuses. */
export function createMemoryEventBus(): MemoryEventBus {
  const events: BusEvent[] = []
  return {
    name: 'memory',
    events,
    async put(more, signal) {
      signal.throwIfAborted()
      const size = more.reduce((sum, event) => sum + sizeOf(event), 0)
      if (more.length === 0 || more.length > MAX_ENTRIES || size > MAX_REQUEST_BYTES)
        throw new RangeError(`failed to put ${more.length} events of ${size} bytes: out of the bus' limits`)
      return more.map((event) => {
        try {
          JSON.parse(event.detail)
        } catch {
          return { code: 'MalformedDetail', message: 'Detail is malformed.' }
        }
        events.push(event)
        return undefined
      })
    },
  }
}
