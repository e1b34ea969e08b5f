import { type Change, type KeyText, keyText, mergeChanges } from '../../changes/index.ts'
import type { EndpointSlice } from '../../endpointslice/index.ts'
import type { SimulatedClock } from './clock.ts'
import type { RunMeasures } from './measures.ts'
import { createSamples } from './samples.ts'
import type { DrawnSync, SyncTimes } from './sync-times.ts'
import type { World } from './world.ts'

/** Lists of slices and Pods, and the Service. */
const FULL_SYNC_READS = 3

/** The looks of the function: one at a Service at a time. */
export interface Syncs {
  /**
   * Receives a message. The look at its Service begins at once, or after the one that goes on.
   * @param done called when that look is over
   */
  receive(change: Change, done: () => void): void
  /** Called with a look's change each time that one of its writes is seen. */
  onWritten: (change: Change) => void
  readonly counts: { apiReads: number }
  staleness(): RunMeasures['stalenessMs']
}

interface Synced extends DrawnSync {
  readonly beganAt: number
  readonly seeingMs: number
}

/** A change to be looked at, and who waits for that. */
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
  /** Changes to be looked at next, by the keys of looks that go on. */
  const going = new Map<KeyText, Awaited | undefined>()
  const samples = createSamples()
  const counts = { apiReads: 0 }

  function sync(key: KeyText, { change, done }: Awaited, hasWaited = false): void {
    going.set(key, undefined)
    counts.apiReads += change.pods?.length ?? FULL_SYNC_READS
    const { moments, writes, isWhole, seen } = world.publish(change)
    const { firstMs, lastMs } = times.draw({ writes, isWhole, hasWaited })
    if (writes > 0) {
      const seeingMs = times.drawSeeing()
      sample(moments, { beganAt: clock.now(), firstMs, lastMs, seeingMs })
      if (world.isFirst(change)) clock.set(() => onSlices(clock.now(), world.slices), firstMs)
      // The relay gets an event of each slice, and waits for none in particular.
      const eachMs = (lastMs - firstMs) / Math.max(1, writes - 1)
      for (let write = 0; write < writes; write++)
        clock.set(() => syncs.onWritten(change), firstMs + write * eachMs + seeingMs)
    }
    clock.set(() => {
      seen(clock.now())
      const next = going.get(key)
      going.delete(key)
      if (next !== undefined) sync(key, next, true)
      for (const each of done) each()
    }, lastMs)
  }

  /**
   * Changes are published by one write after the other. A watch delivers a Pod as late as a
   * slice, so that each change was that much earlier than its event.
   */
  function sample(moments: readonly number[], { beganAt, firstMs, lastMs, seeingMs }: Synced): void {
    const eachMs = moments.length > 1 ? (lastMs - firstMs) / (moments.length - 1) : 0
    for (const [place, since] of moments.entries())
      samples.add(Math.max(0, beganAt + firstMs + place * eachMs - since + 2 * seeingMs))
  }

  const syncs: Syncs = {
    receive(change, done) {
      const key = keyText(change)
      if (!going.has(key)) return sync(key, { change, done: [done] })
      const next = going.get(key)
      const merged = next === undefined ? change : mergeChanges(next.change, change)
      going.set(key, { change: merged, done: [...(next?.done ?? []), done] })
    },
    onWritten: () => undefined,
    counts,
    staleness: () => ({ p50: samples.percentile(0.5), p99: samples.percentile(0.99) }),
  }
  return syncs
}
