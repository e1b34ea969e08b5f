import type { MatrixRun } from './run-matrix.ts'
import { bytesText, countText } from './text.ts'

/** Settings that are tried before anything is advised. */
export const ADVISED = {
  coalescingWindows: ['auto', 0, 0.5, 1, 2],
  maxEndpointsPerSlice: [50, 100, 200, 500],
  policies: ['in-tree', 'compact'],
} as const

/** A choice of settings, with the run that shows what it leads to. */
export interface Advice {
  readonly settings: { coalescingWindow: 'auto' | number; maxEndpointsPerSlice: number; packing: string }
  readonly run: MatrixRun
  readonly why: readonly string[]
}

/**
 * Slices more than those of the default size, at which smaller ones are not advised: each is an object to
 * keep and to list.
 */
const MAX_OBJECTS = 2
/** Bytes are worth a change of settings from this share on. */
const WORTH = 0.95

/**
 * Advises the settings that send least within a delay, and of those that send about as much the ones nearest
 * to the defaults.
 * @param runs of {@link ADVISED}
 * @param latestMs of 99 % of the changes
 */
export function advise(runs: readonly MatrixRun[], latestMs: number): Advice | undefined {
  const preset = runs.find((run) => isDefault(run))
  const least = Math.min(...runs.map(objectsOf))
  const allowed = runs.filter(
    (run) =>
      run.run.stalenessMs.p99 <= latestMs &&
      objectsOf(run) <= Math.max(least, objectsOf(preset ?? run)) * MAX_OBJECTS,
  )
  const best = allowed.toSorted((a, b) => a.run.bytesSent - b.run.bytesSent)[0]
  if (best === undefined) return undefined
  const isWorth = preset === undefined || best.run.bytesSent < preset.run.bytesSent * WORTH
  const chosen = isWorth || !allowed.includes(preset) ? best : preset
  const { coalescingWindow, maxEndpointsPerSlice, policy } = chosen
  const packing = policy === 'in-tree' ? 'upstream' : policy
  return {
    settings: { coalescingWindow, maxEndpointsPerSlice, packing },
    run: chosen,
    why: reasons(chosen, preset, latestMs),
  }
}

const isDefault = ({ coalescingWindow, maxEndpointsPerSlice, policy }: MatrixRun): boolean =>
  coalescingWindow === 'auto' && maxEndpointsPerSlice === 100 && policy === 'in-tree'

/** Counts the slices at first, which are what is sent when a watcher begins. */
const objectsOf = ({ create }: MatrixRun): number => create.writes

function reasons(chosen: MatrixRun, preset: MatrixRun | undefined, latestMs: number): string[] {
  const { run } = chosen
  const reached = `it sends ${bytesText(run.bytesSent)} in ${countText(run.writes)} writes, and 99 % of the changes are published within ${countText(run.stalenessMs.p99)} ms (asked for: ${countText(latestMs)} ms)`
  if (preset === undefined || chosen === preset) {
    return [reached, 'no other settings within that delay send much less than the defaults']
  }
  const beside = `the defaults send ${bytesText(preset.run.bytesSent)} in ${countText(preset.run.writes)} writes, within ${countText(preset.run.stalenessMs.p99)} ms`
  return [reached, beside]
}

export function describeAdvice(advice: Advice | undefined, latestMs: number): string {
  if (advice === undefined) {
    return `no settings that were tried publish 99 % of the changes within ${countText(latestMs)} ms: allow more with --latest\n`
  }
  const { coalescingWindow, maxEndpointsPerSlice, packing } = advice.settings
  const flags = `--coalescing-window ${coalescingWindow} --max-endpoints-per-slice ${maxEndpointsPerSlice} --packing ${packing}`
  return `${[flags, ...advice.why.map((reason) => `  ${reason}`)].join('\n')}\n`
}
