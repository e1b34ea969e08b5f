import { CALLS_A_POLLER } from '../../../shared/costs/index.ts'
import { parseSettings } from '../../../shared/settings/index.ts'
import {
  BATCHES,
  CLUSTER_COUNTS,
  MAX_SERVICES,
  MEASURED_SERVICES,
  measureService,
  POLICY_NAMES,
  type PresetName,
  scaleTo,
  simulatePreset,
} from '../../../shared/simulation/index.ts'
import { type Flags, groupFlags } from '../../options/flags.ts'
import { settingOf } from '../../options/settings.ts'
import { assertReportFile, Progress, reportText, writeReport } from '../../output/print-report.ts'
import {
  ADVISED,
  type Advice,
  advise,
  adviseBatches,
  describeAdvice,
  describeMatrix,
  describePreset,
  describeScale,
  type Matrix,
  type MatrixRun,
  runMatrix,
  TRIED_BATCHES,
  triedWith,
} from '../../simulate/index.ts'
import type { MatrixReport } from '../../simulate/report/index.ts'
import { durationText, type Terminal, terminalOf } from '../../terminal/index.ts'
import { UsageError } from '../../usage.ts'
import { GROUPS, type SimulateFlags } from './command.ts'
import { type Given, givenBy, sizeOf, workloadOf } from './workloads.ts'

/** @throws UsageError for flags that contradict each other, naming the nearest possible ones */
export async function runSimulate(all: Flags): Promise<void> {
  const flags = groupFlags(all, GROUPS)
  const { report: file } = flags.asked
  const { preset } = flags.workload
  if (file !== undefined) await assertReportFile(file)
  // Loaded when it is wanted: what draws charts would slow down every simulation.
  const report = file === undefined ? undefined : await import('../../simulate/report/index.ts')
  const { text, page } = await (preset === undefined ? simulated(flags) : ofPreset(preset, flags))
  if (file !== undefined && report) await writeReport(file, page(report))
  process.stdout.write(text)
}

interface Outcome {
  readonly text: string
  readonly page: (report: typeof import('../../simulate/report/index.ts')) => string
}

async function ofPreset(name: PresetName, { measured, tried, asked }: SimulateFlags): Promise<Outcome> {
  const progress = new Progress()
  const result = await simulatePreset(name, {
    ...measured,
    policies: tried.policy,
    coalescingWindow: only('--coalescing-window', tried.coalescingWindow, 0),
    maxEndpointsPerSlice: only('--max-endpoints-per-slice', tried.maxEndpointsPerSlice, 100),
    onProgress: (of, events, all) =>
      progress.report(`${of}: ${events} of ${all} Pod events of the rolling update`),
  })
  return {
    text: reportText(result, asked.output, describePreset),
    page: ({ presetPage }) => presetPage(result),
  }
}

/** Takes the only value of a flag. A preset has one of each, as its table has one row a policy. */
function only<T>(flag: string, values: readonly T[] | undefined, preset: T): T {
  if (values !== undefined && values.length > 1) {
    throw new UsageError(`${flag} ${values.join()} with --preset: give one, such as ${flag} ${values[0]}`)
  }
  return values?.[0] ?? preset
}

async function simulated(flags: SimulateFlags): Promise<Outcome> {
  const { asked, tried } = flags
  const given = await givenBy(flags)
  if (asked.scale) return scaled(flags, given)
  if (asked.advise) return advised(flags, given)
  if (asked.compare !== undefined) return compared(flags, given, asked.compare)
  const matrix = {
    policies: tried.policy ?? POLICY_NAMES,
    coalescingWindows: tried.coalescingWindow ?? [given.coalescingWindow],
    maxEndpointsPerSlice: tried.maxEndpointsPerSlice ?? [given.maxEndpointsPerSlice],
  }
  return outcomeOf(flags, given, await runsOf(flags, given, matrix))
}

function outcomeOf({ asked }: SimulateFlags, given: Given, runs: readonly MatrixRun[]): Outcome {
  return {
    text: reportText({ runs }, asked.output, () => describeMatrix(runs, widthOf(terminalOf(process.stdout)))),
    page: pageOf(given, runs),
  }
}

const widthOf = ({ isTerminal, columns }: Terminal): number =>
  isTerminal ? columns : Number.POSITIVE_INFINITY

const pageOf =
  ({ title }: Given, runs: readonly MatrixRun[], advice?: MatrixReport['advice']): Outcome['page'] =>
  ({ matrixPage }) =>
    matrixPage({ workload: title, runs, advice })

/** Settings that are tried; those of batches are by default as the flags say. */
type Tried = Pick<Matrix, 'policies' | 'coalescingWindows' | 'maxEndpointsPerSlice' | 'batchWindows'> & {
  readonly batchSize?: number
}

async function runsOf(
  flags: SimulateFlags,
  { workloads, watchers }: Given,
  { batchWindows = flags.tried.batchWindow ?? [0], batchSize, ...tried }: Tried,
): Promise<MatrixRun[]> {
  const { encoding, seed } = flags.measured
  const batches = batchesOf({ ...flags.batches, ...(batchSize !== undefined && { batchSize }) }, batchWindows)
  const progress = new Progress()
  const onProgress = (run: string, events: number, atMs: number): void =>
    progress.report(`${run}: ${events} Pod events, ${durationText(atMs)} of its time`)
  const runs: MatrixRun[] = []
  for (const { make, ...more } of workloads) {
    const matrix = { ...tried, batchWindows, batches, watching: { encoding, watchers }, seed }
    const of = await runMatrix(make(), matrix, onProgress)
    runs.push(...of.map((run) => ({ ...more, ...run })))
  }
  return runs
}

/** Provisioned pollers bound the calls themselves. @throws UsageError for batches that Lambda refuses */
function batchesOf(
  { batchSize, maximumConcurrency, maximumPollers }: SimulateFlags['batches'],
  batchWindows: readonly number[],
): Matrix['batches'] {
  if (batchSize !== undefined && batchSize > BATCHES.batchSize && batchWindows.includes(0))
    throw new UsageError(
      `--batch-size ${batchSize}: above ${BATCHES.batchSize} Lambda needs a batch window; add --batch-window 1`,
    )
  return {
    ...(batchSize !== undefined && { batchSize }),
    ...(maximumConcurrency !== undefined && { maximumConcurrency }),
    ...(maximumPollers !== undefined && {
      pollers: maximumPollers,
      maximumConcurrency: maximumPollers * CALLS_A_POLLER,
    }),
  }
}

async function advised(flags: SimulateFlags, given: Given): Promise<Outcome> {
  const { latest, output } = flags.asked
  const runs = await runsOf(flags, given, { ...ADVISED, batchWindows: [0] })
  const advice = await withBatches(flags, given, advise(runs, latest))
  runs.push(...(advice?.batches ?? []).filter(({ batchWindow }) => batchWindow > 0))
  const text = describeAdvice(advice, latest)
  return {
    text: reportText(advice ?? null, output, () => text),
    page: pageOf(given, runs, { text, run: advice?.run }),
  }
}

async function withBatches(
  flags: SimulateFlags,
  given: Given,
  advice: Advice | undefined,
): Promise<Advice | undefined> {
  if (advice === undefined) return undefined
  const runs: MatrixRun[] = []
  for (const batches of TRIED_BATCHES)
    runs.push(...(await runsOf(flags, given, { ...triedWith(advice), ...batches })))
  return adviseBatches(advice, runs, flags.asked.latest)
}

async function compared(flags: SimulateFlags, given: Given, settings: readonly string[]): Promise<Outcome> {
  if (settings.length !== 2) {
    throw new UsageError('--compare takes two, such as --compare coalescingWindow=auto coalescingWindow=0.5')
  }
  const runs: MatrixRun[] = []
  for (const text of settings) runs.push(...(await runsOf(flags, given, comparedSettings(text))))
  return outcomeOf(flags, given, runs)
}

function comparedSettings(text: string): Tried {
  const given = new Map(text.split(',').map((pair) => pair.split('=', 2) as [string, string | undefined]))
  const {
    coalescingWindow = 'auto',
    maxEndpointsPerSlice = '100',
    policy = 'in-tree',
    batchWindow = '0',
    ...unknown
  } = Object.fromEntries(given)
  const names = POLICY_NAMES.filter((name) => name === policy)
  if (Object.keys(unknown).length > 0 || names.length === 0) {
    throw new UsageError(
      `${JSON.stringify(text)}: use coalescingWindow, maxEndpointsPerSlice, batchWindow and policy (${POLICY_NAMES.join(', ')}), as in coalescingWindow=0.5,policy=compact`,
    )
  }
  return {
    policies: names,
    coalescingWindows: [settingOf('coalescingWindow', { coalescingWindow })],
    maxEndpointsPerSlice: [settingOf('maxEndpointsPerSlice', { maxEndpointsPerSlice })],
    batchWindows: [settingOf('batchWindow', { batchWindow })],
  }
}

async function scaled(flags: SimulateFlags, { title }: Given): Promise<Outcome> {
  const { services } = flags.size
  const [meanChange = 3600] = flags.churn.meanChange
  const size = { ...sizeOf(flags), services: Math.min(services, MEASURED_SERVICES) }
  const measured = workloadOf(flags, { size, meanChange })
  const load = await measureService(measured)
  const { maximumConcurrency, apiCallsPerSecond } = parseSettings({})
  const rows = CLUSTER_COUNTS.filter((clusters) => clusters * services <= MAX_SERVICES).map((clusters) =>
    scaleTo(load, { clusters, services }, { maximumConcurrency, apiCallsPerSecond, relayGb: 0.5 }),
  )
  return {
    text: reportText({ load, rows }, flags.asked.output, () => describeScale(rows)),
    page: ({ scalePage }) => scalePage({ workload: title, rows }),
  }
}
