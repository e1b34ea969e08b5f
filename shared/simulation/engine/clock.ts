import type { Clock, Timer } from '../../kubernetes/index.ts'

interface Alarm {
  readonly atMs: number
  /** Alarms of one moment ring in the order in which they were set. */
  readonly number: number
  readonly callback: () => void
  isCleared: boolean
}

/** Time that passes only when it is advanced, in milliseconds from 0. */
export interface SimulatedClock extends Clock {
  /** Lets time pass up to this moment, and rings what is due by then. */
  advanceTo(ms: number): void
  /** Rings everything that is set, also what is set meanwhile. */
  runOut(): void
}

export function createSimulatedClock(): SimulatedClock {
  let nowMs = 0
  let count = 0
  const heap: Alarm[] = []

  function ring(alarm: Alarm): void {
    nowMs = Math.max(nowMs, alarm.atMs)
    if (!alarm.isCleared) alarm.callback()
  }

  return {
    now: () => nowMs,
    set(callback, ms) {
      const alarm: Alarm = { atMs: nowMs + Math.max(0, ms), number: count++, callback, isCleared: false }
      push(heap, alarm)
      return alarm
    },
    clear(timer: Timer | undefined) {
      if (timer !== undefined) (timer as Alarm).isCleared = true
    },
    advanceTo(ms) {
      for (let next = heap[0]; next !== undefined && next.atMs <= ms; next = heap[0]) ring(pop(heap, next))
      nowMs = Math.max(nowMs, ms)
    },
    runOut() {
      for (let next = heap[0]; next !== undefined; next = heap[0]) ring(pop(heap, next))
    },
  }
}

const isBefore = (a: Alarm, b: Alarm): boolean =>
  a.atMs < b.atMs || (a.atMs === b.atMs && a.number < b.number)

function push(heap: Alarm[], alarm: Alarm): void {
  let place = heap.length
  heap.push(alarm)
  while (place > 0) {
    const above = (place - 1) >> 1
    const parent = heap[above]
    if (parent === undefined || !isBefore(alarm, parent)) break
    heap[place] = parent
    place = above
  }
  heap[place] = alarm
}

/** @param first of the heap */
function pop(heap: Alarm[], first: Alarm): Alarm {
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
