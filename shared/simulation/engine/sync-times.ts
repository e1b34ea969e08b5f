import { LOOK_MS } from '../../costs/index.ts'
import type { SyncEvent } from '../workloads/index.ts'

/** Knows how long the steps of looks took lately. */
export interface SyncTimes {
  add(sync: SyncEvent['sync']): void
  /** Makes up how long a look takes. */
  draw(sync: PlannedSync): DrawnSync
  /** Draws the delay from a write's response to its watch event, in milliseconds. */
  drawSeeing(): number
}

export interface PlannedSync {
  readonly writes: number
  /** The whole Service is looked at. */
  readonly isWhole: boolean
  /** Its message was there before it began: the look before it was not over. */
  readonly hasWaited: boolean
}

/** Milliseconds from when the relay hands over a look's message, or the look before is over. */
export interface DrawnSync {
  /** Until its first write is answered, or it is over without one. */
  readonly firstMs: number
  /** Until its last write is answered. */
  readonly lastMs: number
}

export interface SyncTimesOptions {
  /** 0 to below 1, even. */
  readonly fraction: () => number
  /**
   * Shortest and longest duration of a sync, whatever the workload says. Default: the workload's own, or else
   * 15 to 40.
   */
  readonly syncMs?: readonly [least: number, most: number] | undefined
}

/** So many of the last: a machine that is busy for a while is slow for all looks of that time. */
const KEPT = 64
/** Longest step that counts: a longer one had waited for something else, such as a retry. */
const MAX_MS = 60_000

export function createSyncTimes({ fraction, syncMs }: SyncTimesOptions): SyncTimes {
  const [minMs, maxMs] = syncMs ?? LOOK_MS
  const times = {
    sending: createLast(),
    single: createLast(),
    several: createLast(),
    wholeSingle: createLast(),
    wholeSeveral: createLast(),
    seeing: createLast(),
  } satisfies Record<SyncEvent['sync']['step'], unknown>

  /** Draws one of the looks that are most like it. */
  function drawLike({ writes, isWhole }: PlannedSync): SyncEvent['sync'] | undefined {
    const [several, single] = isWhole ? WHOLE : HINTED
    const [otherSeveral, otherSingle] = isWhole ? HINTED : WHOLE
    const steps = [single, several, otherSingle, otherSeveral]
    const likest = writes > 1 ? [several, single, otherSeveral, otherSingle] : steps
    for (const step of likest) {
      const sync = times[step].draw(fraction)
      if (sync !== undefined) return sync
    }
    return undefined
  }

  function drawRecorded(planned: PlannedSync): DrawnSync | undefined {
    const sync = drawLike(planned)
    if (sync === undefined) return undefined
    const sendingMs = planned.hasWaited ? 0 : (times.sending.draw(fraction)?.ms ?? 0)
    const firstMs = sync.ms + sendingMs
    return { firstMs, lastMs: firstMs + (planned.writes > 1 ? (sync.spreadMs ?? 0) : 0) }
  }

  return {
    add(sync) {
      const { ms, spreadMs = 0 } = sync
      if (Math.abs(ms) <= MAX_MS && spreadMs <= MAX_MS) times[sync.step].add(sync)
    },
    draw(sync) {
      const relayEvent = syncMs === undefined ? drawRecorded(sync) : undefined
      if (relayEvent !== undefined) return relayEvent
      const ms = minMs + fraction() * (maxMs - minMs)
      return { firstMs: ms, lastMs: ms }
    },
    drawSeeing: () => (syncMs === undefined ? (times.seeing.draw(fraction)?.ms ?? 0) : 0),
  }
}

const HINTED = ['several', 'single'] as const
const WHOLE = ['wholeSeveral', 'wholeSingle'] as const

function createLast() {
  const values: SyncEvent['sync'][] = []
  let count = 0
  return {
    add(value: SyncEvent['sync']): void {
      values[count++ % KEPT] = value
    },
    draw: (fraction: () => number): SyncEvent['sync'] | undefined =>
      values.length === 0 ? undefined : values[Math.floor(fraction() * values.length)],
  }
}
