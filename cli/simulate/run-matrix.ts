import { measuredDollars } from '../../shared/costs/index.ts'
import {
  BATCHES,
  type BatchSettings,
  type PolicyName,
  type SimulationResult,
  simulate,
  type Watching,
  type Workload,
} from '../../shared/simulation/index.ts'
import { bytesText, countText, tablesText } from './text.ts'

/** Combinations that a workload is played to: every policy with every window and slice size. */
export interface Matrix {
  readonly policies: readonly PolicyName[]
  readonly coalescingWindows: readonly ('auto' | number)[]
  readonly maxEndpointsPerSlice: readonly number[]
  /** Default: 0. */
  readonly batchWindows?: readonly number[]
  /** The other settings of batches. Default: theirs. */
  readonly batches?: Partial<BatchSettings> | undefined
  readonly watching?: Watching
  readonly seed: number
}

/** One of each. */
interface MatrixSettings {
  readonly policy: PolicyName
  readonly coalescingWindow: 'auto' | number
  readonly maxEndpointsPerSlice: number
  readonly batchWindow: number
  readonly batchSize: number
}

export interface MatrixRun extends SimulationResult, MatrixSettings {
  /** Seconds between two changes of a Pod on average; of churn alone. */
  readonly meanChange?: number
  /** US dollars a month for messages, calls and logs at this rate. The rest of a deployment is extra. */
  readonly dollarsAMonth: number
}

export async function runMatrix(
  workload: Workload,
  matrix: Matrix,
  onProgress: (run: string, events: number, atMs: number) => void,
): Promise<MatrixRun[]> {
  const { watching, seed, batches } = matrix
  const runs: MatrixRun[] = []
  for (const run of combinationsOf(matrix)) {
    const { policy, coalescingWindow, maxEndpointsPerSlice, batchWindow } = run
    const result = await simulate({
      ...{ workload, policy, seed, ...(watching && { watching }) },
      settings: { coalescingWindow, maxEndpointsPerSlice, batches: { ...batches, batchWindow } },
      observer: {
        onProgress: (events, atMs) => onProgress(`${policy}, window ${windowText(run)}`, events, atMs),
      },
    })
    runs.push({ ...run, ...result, dollarsAMonth: measuredDollars(result.run) })
  }
  return runs
}

function combinationsOf({
  policies,
  coalescingWindows,
  maxEndpointsPerSlice: sizes,
  batchWindows = [BATCHES.batchWindow],
  batches,
}: Matrix): MatrixSettings[] {
  const { batchSize } = { ...BATCHES, ...batches }
  return coalescingWindows.flatMap((coalescingWindow) =>
    sizes.flatMap((maxEndpointsPerSlice) =>
      policies.flatMap((policy) =>
        batchWindows.map((batchWindow) => ({
          ...{ policy, coalescingWindow, maxEndpointsPerSlice, batchWindow, batchSize },
        })),
      ),
    ),
  )
}

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

/** Writes the coalescing window, and after a plus sign the batch window, if there is one. */
export function windowText({ coalescingWindow, batchWindow }: MatrixSettings): string {
  const text = typeof coalescingWindow === 'number' ? `${coalescingWindow} s` : coalescingWindow
  return batchWindow === 0 ? text : `${text} + ${batchWindow} s`
}

/** Reports whether it has slices of a size: others have all endpoints in one object, or one in each. */
export const hasSliceSize = (policy: PolicyName): boolean => policy !== 'endpoints' && policy !== 'single'

function describeRates(runs: readonly MatrixRun[], width: number): string {
  const tables = [...Map.groupBy(runs, ({ meanChange }) => meanChange)].map(
    ([meanChange, of]) =>
      `each Pod changes every ${countText(meanChange ?? 0)} s\n${describeMatrix(of, width)}`,
  )
  return tables.join('\n')
}
