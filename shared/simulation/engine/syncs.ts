import { type Change, type KeyText, keyText, mergeChanges } from '../../changes/index.ts'
import type { EndpointSlice } from '../../endpointslice/index.ts'
import type { SimulatedClock } from './clock.ts'
import type { RunMeasures } from './measures.ts'
import type { DrawnSync, SyncTimes } from './sync-times.ts'
import type { World } from './world.ts'

/** Lists of slices and Pods, and the Service. */
const FULL_SYNC_READS = 3

/** The syncs of the function: at most one per Service at a time. */
export interface Syncs {
  /**
   * Receives a message. The sync of its Service starts immediately, or after the running one.
   * @param done called at the end of that sync
   */
  receive(change: Change, done: () => void): void
  /** Called with the change of a sync whenever one of its writes is observed. */
  onWritten: (change: Change) => void
  readonly counts: { apiReads: number }
  staleness(): RunMeasures['stalenessMs']
}

interface Synced extends DrawnSync {
  readonly beganAt: number
  readonly seeingMs: number
}

/** A change that waits for a sync, and the callbacks for its end. */
interface Awaited {
  readonly change: Change
  readonly done: readonly (() => void)[]
}

interface SyncsOptions {
  readonly onSlices: (atMs: number, slices: () => readonly EndpointSlice[]) => void
  readonly clock: SimulatedClock
  readonly world: World
  readonly times: Pick<SyncTimes, 'draw' | 'drawSeeing'>
}

export function createSyncs({ clock, world, times, onSlices }: SyncsOptions): Syncs {
  /** Changes that wait for the running sync of their key. */
  const running = new Map<KeyText, Awaited | undefined>()
  const samples = createSamples()
  const counts = { apiReads: 0 }

  function sync(key: KeyText, { change, done }: Awaited, hasWaited = false): void {
    running.set(key, undefined)
    counts.apiReads += change.pods?.length ?? FULL_SYNC_READS
    const { moments, writes, isWhole, observed } = world.publish(change)
    const { firstMs, lastMs } = times.draw({ writes, isWhole, hasWaited })
    if (writes > 0) {
      const seeingMs = times.drawSeeing()
      sample(moments, { beganAt: clock.now(), firstMs, lastMs, seeingMs })
      if (world.isFirst(change)) clock.set(() => onSlices(clock.now(), world.slices), firstMs)
      // The relay receives an event for each slice.
      const eachMs = (lastMs - firstMs) / Math.max(1, writes - 1)
      for (let write = 0; write < writes; write++)
        clock.set(() => syncs.onWritten(change), firstMs + write * eachMs + seeingMs)
    }
    clock.set(() => {
      observed(clock.now())
      const next = running.get(key)
      running.delete(key)
      if (next !== undefined) sync(key, next, true)
      for (const each of done) each()
    }, lastMs)
  }

  /**
   * Changes are published one write after the other. The watch delivers a Pod as late as a slice, so each
   * change happened that much before its event.
   */
  function sample(moments: readonly number[], { beganAt, firstMs, lastMs, seeingMs }: Synced): void {
    const eachMs = moments.length > 1 ? (lastMs - firstMs) / (moments.length - 1) : 0
    for (const [place, since] of moments.entries())
      samples.add(Math.max(0, beganAt + firstMs + place * eachMs - since + 2 * seeingMs))
  }

  const syncs: Syncs = {
    receive(change, done) {
      const key = keyText(change)
      if (!running.has(key)) return sync(key, { change, done: [done] })
      const next = running.get(key)
      const merged = next === undefined ? change : mergeChanges(next.change, change)
      running.set(key, { change: merged, done: [...(next?.done ?? []), done] })
    },
    onWritten: () => undefined,
    counts,
    staleness: () => ({ p50: samples.percentile(0.5), p99: samples.percentile(0.99) }),
  }
  return syncs
}

/** Durations in bounded memory; percentiles have an error of at most 5 %. */
interface Samples {
  add(ms: number): void
  /**
   * @param share 0.5 is the median
   * @returns 0 without samples
   */
  percentile(share: number): number
  readonly count: number
}

/** Ratio of the upper bounds of adjacent buckets. */
const RATIO = 1.05
const MIN_MS = 0.1

function createSamples(): Samples {
  const buckets: number[] = []
  let count = 0
  return {
    add(ms) {
      const bucket = ms <= MIN_MS ? 0 : Math.ceil(Math.log(ms / MIN_MS) / Math.log(RATIO))
      buckets[bucket] = (buckets[bucket] ?? 0) + 1
      count++
    },
    percentile(share) {
      let left = Math.ceil(share * count)
      for (const [bucket, size = 0] of buckets.entries()) {
        left -= size
        if (left <= 0) return count === 0 ? 0 : MIN_MS * RATIO ** bucket
      }
      return 0
    },
    get count() {
      return count
    },
  }
}
