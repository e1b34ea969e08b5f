import type { WorkloadEvent } from '../workloads/index.ts'

/** Sorts events by time. They arrive unsorted because a write shows changes that happened before it. */
export interface EventOrder {
  add(event: WorkloadEvent): void
  /** Removes and returns the events up to this time; no earlier event can arrive any more. */
  takeUntil(ms: number): WorkloadEvent[]
}

/** Creates an empty queue. Equal times stay in order of arrival; late events get the last returned time. */
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
      // Frees the returned events in bulk: removing each one would move all others.
      if (first > waiting.length / 2) {
        waiting = waiting.slice(first)
        first = 0
      }
      return taken
    },
  }
}
