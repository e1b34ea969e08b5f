import { SYNC_MS } from '../../costs/index.ts'
import type { SyncEvent } from '../workloads/index.ts'

/** Recent durations of the steps of syncs. */
export interface SyncTimes {
  add(sync: SyncEvent['sync']): void
  /** Draws the duration of a sync. */
  draw(sync: PlannedSync): DrawnSync
  /** Draws the delay from a write's response to its watch event, in milliseconds. */
  drawSeeing(): number
}

interface PlannedSync {
  readonly writes: number
  /** Whether it is a full sync. */
  readonly isWhole: boolean
  /** Whether its message waited for the previous sync of the Service to end. */
  readonly hasWaited: boolean
}

/** Milliseconds from the sending of a sync's message, or from the end of the previous sync. */
export interface DrawnSync {
  /** Until the response to its first write, or its end without one. */
  readonly firstMs: number
  /** Until the response to its last write. */
  readonly lastMs: number
}

interface SyncTimesOptions {
  /** Uniformly distributed from 0 to below 1. */
  readonly fraction: () => number
  /** Shortest and longest duration of a sync. Default: the workload's own, or else 15 to 40. */
  readonly syncMs?: readonly [min: number, max: number] | undefined
}

/** Number of recent durations to draw from: a busy machine slows all syncs of that time. */
const RECENT = 64
/** Longer steps are ignored: they waited for something else, such as a retry. */
const MAX_MS = 60_000

export function createSyncTimes({ fraction, syncMs }: SyncTimesOptions): SyncTimes {
  const [minMs, maxMs] = syncMs ?? SYNC_MS
  const times = {
    sending: createLast(),
    single: createLast(),
    several: createLast(),
    wholeSingle: createLast(),
    wholeSeveral: createLast(),
    seeing: createLast(),
  } satisfies Record<SyncEvent['sync']['step'], unknown>

  /** Draws one of the most similar recorded syncs. */
  function drawSimilar({ writes, isWhole }: PlannedSync): SyncEvent['sync'] | undefined {
    const [several, single] = isWhole ? WHOLE : HINTED
    const [otherSeveral, otherSingle] = isWhole ? HINTED : WHOLE
    const steps = [single, several, otherSingle, otherSeveral]
    const similar = writes > 1 ? [several, single, otherSeveral, otherSingle] : steps
    for (const step of similar) {
      const sync = times[step].draw(fraction)
      if (sync !== undefined) return sync
    }
    return undefined
  }

  function drawRecorded(planned: PlannedSync): DrawnSync | undefined {
    const sync = drawSimilar(planned)
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
      const recorded = syncMs === undefined ? drawRecorded(sync) : undefined
      if (recorded !== undefined) return recorded
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
      values[count++ % RECENT] = value
    },
    draw: (fraction: () => number): SyncEvent['sync'] | undefined =>
      values.length === 0 ? undefined : values[Math.floor(fraction() * values.length)],
  }
}
