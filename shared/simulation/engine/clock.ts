import type { MonotonicClock, Timer } from '../../kubernetes/index.ts'

interface ScheduledTimer {
  readonly atMs: number
  /** Timers of the same time fire in the order in which they were set. */
  readonly number: number
  readonly callback: () => void
  isCleared: boolean
}

/** A clock that advances only by these methods, in milliseconds from 0. */
export interface SimulatedClock extends MonotonicClock {
  /** Advances the time and fires the timers that are due by then. */
  advanceTo(ms: number): void
  /** Fires all timers, including those that are set meanwhile. */
  runOut(): void
}

export function createSimulatedClock(): SimulatedClock {
  let nowMs = 0
  let count = 0
  const heap: ScheduledTimer[] = []

  function fire(timer: ScheduledTimer): void {
    nowMs = Math.max(nowMs, timer.atMs)
    if (!timer.isCleared) timer.callback()
  }

  return {
    now: () => nowMs,
    set(callback, ms) {
      const timer: ScheduledTimer = {
        atMs: nowMs + Math.max(0, ms),
        number: count++,
        callback,
        isCleared: false,
      }
      push(heap, timer)
      return timer
    },
    clear(timer: Timer | undefined) {
      if (timer !== undefined) (timer as ScheduledTimer).isCleared = true
    },
    advanceTo(ms) {
      for (let next = heap[0]; next !== undefined && next.atMs <= ms; next = heap[0]) fire(pop(heap, next))
      nowMs = Math.max(nowMs, ms)
    },
    runOut() {
      for (let next = heap[0]; next !== undefined; next = heap[0]) fire(pop(heap, next))
    },
  }
}

const isBefore = (a: ScheduledTimer, b: ScheduledTimer): boolean =>
  a.atMs < b.atMs || (a.atMs === b.atMs && a.number < b.number)

function push(heap: ScheduledTimer[], timer: ScheduledTimer): void {
  let place = heap.length
  heap.push(timer)
  while (place > 0) {
    const above = (place - 1) >> 1
    const parent = heap[above]
    if (parent === undefined || !isBefore(timer, parent)) break
    heap[place] = parent
    place = above
  }
  heap[place] = timer
}

/** @param first of the heap */
function pop(heap: ScheduledTimer[], first: ScheduledTimer): ScheduledTimer {
  const last = heap.pop()
  if (last === undefined || last === first) return first
  let place = 0
  for (;;) {
    const left = heap[2 * place + 1]
    const right = heap[2 * place + 2]
    const child = left !== undefined && right !== undefined && isBefore(right, left) ? right : left
    if (child === undefined || !isBefore(child, last)) break
    heap[place] = child
    place = 2 * place + (child === left ? 1 : 2)
  }
  heap[place] = last
  return first
}
