import { BATCHES } from '../../shared/simulation/index.ts'
import type { Matrix, MatrixRun } from './run-matrix.ts'
import { bytesText, countText, deployCommand, dollarsText } from './text.ts'

/** Settings that are tried before anything is advised. */
export const ADVISED = {
  coalescingWindows: ['auto', 0, 0.5, 1, 2],
  maxEndpointsPerSlice: [50, 100, 200, 500],
  policies: ['in-tree', 'compact'],
} as const

interface AdvisedSettings {
  readonly coalescingWindow: 'auto' | number
  readonly maxEndpointsPerSlice: number
  readonly packing: string
  /** Absent where no window is worth its delay, or none was tried. */
  readonly batchWindow?: number
  readonly batchSize?: number
}

/** A choice of settings, with the run that shows what it leads to. */
export interface Advice {
  readonly settings: AdvisedSettings
  readonly run: MatrixRun
  readonly why: readonly string[]
  /** The next choice of other results, by the same rule. */
  readonly runnerUp?: Pick<Advice, 'settings' | 'run'>
  /** Runs with other batches, from none to the longest: money against delay. */
  readonly batches?: readonly MatrixRun[]
}

/** Additional slices at which smaller ones are not advised: each is an object to keep and to list. */
const MAX_OBJECTS = 2
/** Bytes, and money, are worth a change of settings from this share on. */
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
  const chosen = bestOf(allowed)
  if (chosen === undefined) return undefined
  const next = bestOf(allowed.filter((run) => !isSameResult(run, chosen)))
  return {
    settings: settingsOf(chosen),
    run: chosen,
    why: reasons(chosen, preset, latestMs),
    runnerUp: next && { settings: settingsOf(next), run: next },
  }
}

/** Finds what sends least; of those that send about as much, the nearest to the defaults, then the first. */
function bestOf(runs: readonly MatrixRun[]): MatrixRun | undefined {
  const least = Math.min(...runs.map(({ run }) => run.bytesSent))
  const [best] = runs
    .filter(({ run }) => run.bytesSent * WORTH <= least)
    .toSorted(
      (a, b) =>
        changesOf(a) - changesOf(b) ||
        a.run.stalenessMs.p99 - b.run.stalenessMs.p99 ||
        a.run.bytesSent - b.run.bytesSent,
    )
  return best
}

/** A setting that has no say, such as the size of slices that are never full, changes nothing. */
const isSameResult = ({ run: a }: MatrixRun, { run: b }: MatrixRun): boolean =>
  a.bytesSent === b.bytesSent && a.writes === b.writes && a.stalenessMs.p99 === b.stalenessMs.p99

function settingsOf({ coalescingWindow, maxEndpointsPerSlice, policy }: MatrixRun): AdvisedSettings {
  return { coalescingWindow, maxEndpointsPerSlice, packing: policy === 'in-tree' ? 'upstream' : policy }
}

/** Counts the settings that are not the defaults. */
const changesOf = ({ coalescingWindow, maxEndpointsPerSlice, policy }: MatrixRun): number =>
  [coalescingWindow !== 'auto', maxEndpointsPerSlice !== 100, policy !== 'in-tree'].filter(Boolean).length

const isDefault = (run: MatrixRun): boolean => changesOf(run) === 0

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
  const reasons = advice.why.map((reason) => `  ${reason}`)
  const lines = [
    flagsOf(advice.settings),
    ...reasons,
    `  on AWS: ${deployCommand(changedSettings(advice.settings))}`,
    ...batchLines(advice.batches ?? []),
    runnerUpText(advice),
  ]
  return `${lines.join('\n')}\n`
}

/** Leaves out what is the default. */
const changedSettings = ({
  coalescingWindow,
  maxEndpointsPerSlice,
  packing,
  ...batches
}: AdvisedSettings): Readonly<Record<string, string | number | undefined>> => ({
  ...(coalescingWindow !== 'auto' && { coalescingWindow }),
  ...(maxEndpointsPerSlice !== 100 && { maxEndpointsPerSlice }),
  ...(packing !== 'upstream' && { packing }),
  ...batches,
})

const flagsOf = (settings: AdvisedSettings): string => {
  const { coalescingWindow, maxEndpointsPerSlice, packing, batchWindow, batchSize } = settings
  return [
    `--coalescing-window ${coalescingWindow} --max-endpoints-per-slice ${maxEndpointsPerSlice} --packing ${packing}`,
    ...(batchWindow === undefined ? [] : [`--batch-window ${batchWindow}`]),
    ...(batchSize === undefined ? [] : [`--batch-size ${batchSize}`]),
  ].join(' ')
}

function runnerUpText({ runnerUp }: Advice): string {
  if (runnerUp === undefined)
    return '  there is no runner-up: nothing else that was tried is within that delay'
  const { settings, run } = runnerUp
  return `  runner-up: ${flagsOf(settings)} sends ${bytesText(run.run.bytesSent)} in ${countText(run.run.writes)} writes, within ${countText(run.run.stalenessMs.p99)} ms`
}

/** Writes what was tried: money against delay. */
const batchLines = (runs: readonly MatrixRun[]): string[] =>
  runs.map(({ batchWindow, batchSize, dollarsAMonth, run }) => {
    const batch =
      batchWindow === 0 ? 'no batch window' : `batch window ${batchWindow} s, up to ${batchSize} messages`
    return `  ${batch}: ${dollarsText(dollarsAMonth)} a month, 99 % within ${countText(run.stalenessMs.p99)} ms`
  })

/** Batches that are tried with the settings that are advised, beside those without a window. */
export const TRIED_BATCHES = [
  { batchWindows: [0, 1, 2, 5, 10], batchSize: BATCHES.batchSize },
  { batchWindows: [1, 2, 5, 10], batchSize: 100 },
] as const

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
