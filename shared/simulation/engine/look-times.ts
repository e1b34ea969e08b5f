import { LOOK_MS } from '../../costs/index.ts'
import type { LookEvent } from '../workloads/index.ts'

/** Knows how long the steps of looks took lately. */
export interface LookTimes {
  add(look: LookEvent['look']): void
  /** Makes up how long a look takes. @param writes that it makes */
  draw(writes: number): DrawnLook
  /** Makes up how long after a write was answered a watch tells of it, in milliseconds. */
  drawSeeing(): number
}

/** Milliseconds from the sending of a look's message. */
export interface DrawnLook {
  /** Until its first write is answered, or it is over without one. */
  readonly firstMs: number
  /** Until its last write is answered. */
  readonly lastMs: number
}

export interface LookTimesOptions {
  /** 0 to below 1, even. */
  readonly fraction: () => number
  /**
   * Least and longest duration of a look, whatever the workload tells. Default: the workload's own, or else
   * 15 to 40.
   */
  readonly lookMs?: readonly [least: number, most: number] | undefined
}

/** So many of the last: a machine that is busy for a while is slow for all looks of that time. */
const KEPT = 64
/** Longest step that counts: a longer one had waited for something else, such as a retry. */
const LONGEST_MS = 60_000

export function createLookTimes({ fraction, lookMs }: LookTimesOptions): LookTimes {
  const [leastMs, mostMs] = lookMs ?? LOOK_MS
  const times = { sending: createLast(), single: createLast(), several: createLast(), seeing: createLast() }

  function drawTold(writes: number): DrawnLook | undefined {
    const several = writes > 1 ? times.several.draw(fraction) : undefined
    const look = several ?? times.single.draw(fraction) ?? times.several.draw(fraction)
    if (look === undefined) return undefined
    const firstMs = look.ms + (times.sending.draw(fraction)?.ms ?? 0)
    return { firstMs, lastMs: firstMs + (writes > 1 ? (look.spreadMs ?? 0) : 0) }
  }

  return {
    add(look) {
      const { ms, spreadMs = 0 } = look
      if (Math.abs(ms) <= LONGEST_MS && spreadMs <= LONGEST_MS) times[look.step].add(look)
    },
    draw(writes) {
      const told = lookMs === undefined ? drawTold(writes) : undefined
      if (told !== undefined) return told
      const ms = leastMs + fraction() * (mostMs - leastMs)
      return { firstMs: ms, lastMs: ms }
    },
    drawSeeing: () => (lookMs === undefined ? (times.seeing.draw(fraction)?.ms ?? 0) : 0),
  }
}

function createLast() {
  const values: LookEvent['look'][] = []
  let count = 0
  return {
    add(value: LookEvent['look']): void {
      values[count++ % KEPT] = value
    },
    draw: (fraction: () => number): LookEvent['look'] | undefined =>
      values.length === 0 ? undefined : values[Math.floor(fraction() * values.length)],
  }
}
