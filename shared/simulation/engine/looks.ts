import { type Change, type KeyText, keyText, mergeChanges } from '../../changes/index.ts'
import type { SimulatedClock } from './clock.ts'
import type { RunMeasures } from './measures.ts'
import { createSamples } from './samples.ts'
import type { SimulationOptions } from './simulate.ts'
import type { World } from './world.ts'

/** Lists of slices and Pods, and the Service. */
const WHOLE_LOOK_READS = 3

/** The looks of the function: one at a Service at a time. */
export interface Looks {
  /** A message is received. */
  receive(change: Change): void
  /** Told of a look whose writes are seen. */
  onWritten: (change: Change) => void
  readonly counts: { apiReads: number; lookMs: number }
  staleness(): RunMeasures['stalenessMs']
}

interface LooksOptions extends Required<Pick<SimulationOptions, 'onSlices'>> {
  readonly clock: SimulatedClock
  readonly world: World
  readonly drawLookMs: () => number
}

export function createLooks({ clock, world, drawLookMs, onSlices }: LooksOptions): Looks {
  /** What is to be looked at next, by the keys of looks that go on. */
  const going = new Map<KeyText, Change | undefined>()
  const samples = createSamples()
  const counts = { apiReads: 0, lookMs: 0 }

  function look(key: KeyText, change: Change): void {
    going.set(key, undefined)
    const takesMs = drawLookMs()
    counts.lookMs += takesMs
    counts.apiReads += change.pods?.length ?? WHOLE_LOOK_READS
    const { moments, isWritten, seen } = world.publish(change)
    clock.timers.set(() => {
      for (const since of moments) samples.add(clock.now() - since)
      if (isWritten) {
        seen(clock.now())
        if (world.isFirst(change)) onSlices(clock.now(), world.slices)
        looks.onWritten(change)
      }
      const next = going.get(key)
      going.delete(key)
      if (next !== undefined) look(key, next)
    }, takesMs)
  }

  const looks: Looks = {
    receive(change) {
      const key = keyText(change)
      if (!going.has(key)) return look(key, change)
      const next = going.get(key)
      going.set(key, next === undefined ? change : mergeChanges(next, change))
    },
    onWritten: () => undefined,
    counts,
    staleness: () => ({ p50: samples.percentile(0.5), p99: samples.percentile(0.99) }),
  }
  return looks
}
