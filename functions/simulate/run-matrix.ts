import { SECONDS_A_MONTH, usageDollars } from '../../shared/costs/index.ts'
import {
  type Encoding,
  type PolicyName,
  type SimulationOptions,
  type SimulationResult,
  simulate,
  type Workload,
} from '../../shared/simulation/index.ts'
import { bytesText, countText, tablesText } from './text.ts'

/** Combinations that a workload is played to: every policy with every window and slice size. */
export interface Matrix {
  readonly policies: readonly PolicyName[]
  readonly coalescingWindows: readonly ('auto' | number)[]
  readonly maxEndpointsPerSlice: readonly number[]
  readonly encoding: Encoding
  /** Limits of the policy `compact`. */
  readonly compact?: SimulationOptions['compact']
  readonly seed: number
  /** Watchers that are sent each event; default: the workload's Nodes. */
  readonly watchers?: number | undefined
}

/** One of each. */
export interface MatrixSettings {
  readonly policy: PolicyName
  readonly coalescingWindow: 'auto' | number
  readonly maxEndpointsPerSlice: number
}

export interface MatrixRun extends SimulationResult, MatrixSettings {
  /** Seconds between two changes of a Pod on average; of churn alone. */
  readonly meanChange?: number
  /** Price of messages and calls at this rate in a month, in US dollars; the relay comes on top. */
  readonly dollarsAMonth: number
}

export async function runMatrix(
  workload: Workload,
  { policies, coalescingWindows, maxEndpointsPerSlice, ...settings }: Matrix,
  onProgress: (run: string, events: number, atMs: number) => void,
  filmOf: (run: MatrixSettings) => SimulationOptions['onSlices'] = () => undefined,
): Promise<MatrixRun[]> {
  const runs: MatrixRun[] = []
  for (const coalescingWindow of coalescingWindows) {
    for (const max of maxEndpointsPerSlice) {
      for (const policy of policies) {
        const result = await simulate({
          ...settings,
          workload,
          policy,
          coalescingWindow,
          maxEndpointsPerSlice: max,
          onProgress: (events, atMs) => onProgress(`${policy}, window ${coalescingWindow}`, events, atMs),
          onSlices: filmOf({ policy, coalescingWindow, maxEndpointsPerSlice: max }),
        })
        const months = result.run.seconds / SECONDS_A_MONTH
        const dollarsAMonth = months === 0 ? 0 : usageDollars(result.run) / months
        runs.push({ policy, coalescingWindow, maxEndpointsPerSlice: max, ...result, dollarsAMonth })
      }
    }
  }
  return runs
}

/** Columns of {@link matrixCells}. */
export const MATRIX_COLUMNS = [
  ...['policy', 'window', 'slice', 'writes', 'sent', 'stored', 'slices/least', 'most'],
  ...['p50', 'p99', 'messages', 'batches', 'reads', 'GB-s', '$/month'],
] as const
/** Number of the first columns, which say what a row is about. */
const MATRIX_KEYS = 3

/**
 * Writes what was measured as a table.
 * @param width most columns of a line; default: as many as it takes
 */
export function describeMatrix(runs: readonly MatrixRun[], width = Number.POSITIVE_INFINITY): string {
  const [first] = runs
  if (first === undefined) return ''
  if (runs.some(({ meanChange }) => meanChange !== first.meanChange)) return describeRates(runs, width)
  const { events, changes, seconds } = first.run
  const head = `${countText(events)} Pod events, ${countText(changes)} changes of Services in ${countText(seconds)} s\n\n`
  return head + tablesText([MATRIX_COLUMNS, ...runs.map(matrixCells)], { keys: MATRIX_KEYS, width })
}

/** Writes what was measured of a run as texts. */
export function matrixCells(matrixRun: MatrixRun): string[] {
  const { policy, maxEndpointsPerSlice, run, dollarsAMonth } = matrixRun
  return [
    policy,
    windowText(matrixRun),
    hasSliceSize(policy) ? String(maxEndpointsPerSlice) : '',
    countText(run.writes),
    bytesText(run.bytesSent),
    bytesText(run.bytesStored),
    run.objectsToLeast.mean.toFixed(2),
    run.objectsToLeast.most.toFixed(2),
    `${countText(run.stalenessMs.p50)} ms`,
    `${countText(run.stalenessMs.p99)} ms`,
    countText(run.messages),
    countText(run.batches),
    countText(run.apiReads),
    run.gbSeconds.toFixed(1),
    dollarsAMonth.toFixed(2),
  ]
}

export const windowText = ({ coalescingWindow }: Pick<MatrixRun, 'coalescingWindow'>): string =>
  typeof coalescingWindow === 'number' ? `${coalescingWindow} s` : coalescingWindow

/** Reports whether it has slices of a size: others have all endpoints in one object, or one in each. */
export const hasSliceSize = (policy: PolicyName): boolean => policy !== 'endpoints' && policy !== 'single'

/** Writes a table for each rate of changes. */
function describeRates(runs: readonly MatrixRun[], width: number): string {
  const tables = [...Map.groupBy(runs, ({ meanChange }) => meanChange)].map(
    ([meanChange, of]) =>
      `each Pod changes every ${countText(meanChange ?? 0)} s\n${describeMatrix(of, width)}`,
  )
  return tables.join('\n')
}
