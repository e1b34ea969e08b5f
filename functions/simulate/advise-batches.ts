import { BATCHES } from '../../shared/simulation/index.ts'
import { type Advice, dollarsText } from './advise.ts'
import type { Matrix, MatrixRun } from './run-matrix.ts'
import { countText } from './text.ts'

/** Batches that are tried with the settings that are advised, beside those without a window. */
export const TRIED_BATCHES = [
  { batchWindows: [0, 1, 2, 5, 10], batchSize: BATCHES.batchSize },
  { batchWindows: [1, 2, 5, 10], batchSize: 100 },
] as const

/** Money is worth a change of settings from this share on. */
const WORTH = 0.95

/** Returns what a run by the advice tries. */
export const triedWith = ({
  settings,
}: Advice): Pick<Matrix, 'coalescingWindows' | 'maxEndpointsPerSlice' | 'policies'> => ({
  coalescingWindows: [settings.coalescingWindow],
  maxEndpointsPerSlice: [settings.maxEndpointsPerSlice],
  policies: [settings.packing === 'compact' ? 'compact' : 'in-tree'],
})

/**
 * Adds the batches that cost least within a delay. Of those that cost about as much it is the quickest. No
 * window is advised that saves next to nothing.
 * @param runs of {@link TRIED_BATCHES}, with the settings of the advice
 */
export function adviseBatches(advice: Advice, runs: readonly MatrixRun[], latestMs: number): Advice {
  const batches = runs.toSorted((a, b) => a.batchWindow - b.batchWindow || a.batchSize - b.batchSize)
  const allowed = batches.filter(({ run }) => run.stalenessMs.p99 <= latestMs)
  const without = allowed.find(({ batchWindow }) => batchWindow === 0)
  const least = Math.min(...allowed.map(({ dollarsAMonth }) => dollarsAMonth))
  if (without === undefined || least > without.dollarsAMonth * WORTH) return { ...advice, batches }
  const [chosen] = allowed
    .filter(({ dollarsAMonth }) => dollarsAMonth * WORTH <= least)
    .toSorted((a, b) => a.run.stalenessMs.p99 - b.run.stalenessMs.p99)
  if (chosen === undefined) return { ...advice, batches }
  const { batchWindow, batchSize, dollarsAMonth, run } = chosen
  const why = `with a batch window of ${batchWindow} s, messages and calls cost ${dollarsText(dollarsAMonth)} a month instead of ${dollarsText(without.dollarsAMonth)}; 99 % of the changes are then published within ${countText(run.stalenessMs.p99)} ms`
  return {
    ...advice,
    settings: { ...advice.settings, batchWindow, ...(batchSize !== BATCHES.batchSize && { batchSize }) },
    batches,
    why: [...advice.why, why],
  }
}
