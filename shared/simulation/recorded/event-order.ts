import type { WorkloadEvent } from '../workloads/index.ts'

/**
 * Puts events in the order of their time that come out of it: a write tells of changes that were before it.
 */
export interface EventOrder {
  add(event: WorkloadEvent): void
  /** Removes and returns those that nothing can come before any more. */
  takeUntil(ms: number): WorkloadEvent[]
}

/**
 * Creates an order without events. Events of one time stay in the order in which they come. An event that
 * comes too late is given the last time that was taken.
 */
export function createEventOrder(): EventOrder {
  let waiting: WorkloadEvent[] = []
  let first = 0
  let takenMs = Number.NEGATIVE_INFINITY

  return {
    add(event) {
      const inTime = event.atMs >= takenMs ? event : { ...event, atMs: takenMs }
      let place = waiting.length
      while (place > first && (waiting[place - 1]?.atMs ?? 0) > inTime.atMs) place--
      if (place === waiting.length) waiting.push(inTime)
      else waiting.splice(place, 0, inTime)
    },
    takeUntil(ms) {
      const begin = first
      while (first < waiting.length && (waiting[first]?.atMs ?? 0) <= ms) first++
      const taken = waiting.slice(begin, first)
      takenMs = taken.at(-1)?.atMs ?? takenMs
      // What was taken is let go in one piece: each by itself would move all the others.
      if (first > waiting.length / 2) {
        waiting = waiting.slice(first)
        first = 0
      }
      return taken
    },
  }
}
