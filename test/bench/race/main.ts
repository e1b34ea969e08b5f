/** The in-tree controller and Sliceflow in turn under the same load; see README.md. */
import { appendFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { stdout } from 'node:process'
import { Command, Option } from 'commander'
import { ensureBinaries } from '../../cluster/binaries.ts'
import { runToExitCode } from '../../support/go-program.ts'
import { count, createReport, pair, positive } from '../arguments.ts'
import { buildSliceflow, CONTENDERS, type ContenderName } from './contenders.ts'
import { race } from './race.ts'
import type { Result } from './result.ts'
import { tableOf } from './table.ts'
import {
  type ChurnSize,
  type CostSize,
  DEFAULT_CHURN,
  WORK_NAMES,
  type WorkName,
  worksOf,
} from './works/index.ts'

interface Options {
  readonly only: readonly WorkName[]
  readonly contender: readonly ContenderName[]
  readonly rounds: number
  readonly scale: number
  readonly sizes: readonly CostSize[]
  readonly churn: ChurnSize
  readonly preparedFirst: boolean
  readonly window?: number
  readonly roundTrip?: number
  readonly checkout: boolean
  readonly out?: string
}

const DEFAULT_SIZES: readonly CostSize[] = [
  { pods: 10, nodes: 10 },
  { pods: 3_000, nodes: 10 },
  { pods: 10, nodes: 3_000 },
]

function readSize(text: string, before: readonly CostSize[]): CostSize[] {
  const [pods, nodes] = pair(text, 'PODSxNODES, such as 3000x10')
  const size = { pods, nodes }
  return before === DEFAULT_SIZES ? [size] : [...before, size]
}

function readChurn(text: string): ChurnSize {
  const [services, pods] = pair(text, 'SERVICESxPODS, such as 500x20')
  return { services, pods }
}

const readOptions = (): Options =>
  new Command('npm run bench -- race')
    .description(
      'Plays the same load to kube-controller-manager (only its endpointslice-controller) and to `sliceflow run`, in turn, each time on a fresh kube-apiserver and etcd, and prints how quickly the slices were right and what that cost.',
    )
    .addOption(
      new Option('--only <works...>', 'not all of the works').choices(WORK_NAMES).default(WORK_NAMES, 'all'),
    )
    .addOption(
      new Option('--contender <names...>', 'not both').choices(CONTENDERS).default(CONTENDERS, 'both'),
    )
    .option('--rounds <n>', 'play everything so often; the table has the medians', count, 1)
    .option('--scale <share>', 'of the sizes of create and rolling, and of churn’s time', positive, 1)
    .addOption(
      new Option('--sizes <sizes...>', 'of cost: pods of the Service and nodes, PODSxNODES')
        .argParser(readSize)
        .default(DEFAULT_SIZES, '10x10 3000x10 10x3000'),
    )
    .addOption(
      new Option('--churn <size>', 'of churn and selectors: Services or EndpointSelectors and pods of each')
        .argParser(readChurn)
        .default(DEFAULT_CHURN, '50x20'),
    )
    .option(
      '--prepared-first',
      'the objects of churn are there before the controller starts, pods by way of etcd: for 100,000 of them',
      false,
    )
    .option(
      '--window <seconds>',
      'Sliceflow’s coalescing window and the in-tree controller’s batch period (default: the default of each)',
      positive,
    )
    .option(
      '--round-trip <ms>',
      'of a remote cluster: both reach the API server through a proxy that delays (default: none)',
      positive,
    )
    .option('--checkout', 'Sliceflow from the sources rather than bundled as it is installed', false)
    .option('--out <file>', 'append a line of JSON for each work of each contender')
    .addHelpText(
      'after',
      `
Works: create (200 Services × 10 pods at full speed), rolling (replace 500 pods of a Service at 20/s), churn (50 Services ×
20 pods, 50 changes/s for 30 s), selectors (the same of EndpointSelectors, by Sliceflow alone), cost (what one change costs, by pods of its Service and nodes).
It takes etcd, kube-apiserver and kube-controller-manager from KUBEBUILDER_ASSETS, else builds them with Go once (10 minutes).
Nothing else should run on the machine: the lines on standard error tell the processor time of others.
Exit codes: 0 all slices were right in the end, 1 they were not or something failed, 2 no programs.

Examples:
  Everything, as the README tells it:
    $ npm run bench -- race --rounds 3 --out race.ndjson
  A quick look:
    $ npm run bench -- race --only churn --scale 0.2
  Both with a window of half a second:
    $ npm run bench -- race --only rolling churn --window 0.5
  Both with a cluster in another region:
    $ npm run bench -- race --only churn --round-trip 80
  500 Services and 500 EndpointSelectors, by Sliceflow alone:
    $ npm run bench -- race --only churn selectors --contender sliceflow --churn 500x20
  5,000 of each, 100,000 pods:
    $ npm run bench -- race --only churn selectors --contender sliceflow --churn 5000x20 --prepared-first
  The cost of a change in a large cluster:
    $ npm run bench -- race --only cost --sizes 10x10000 5000x3000`,
    )
    .parse()
    .opts<Options>()

const report = createReport()

/**
 * Says how much of the machine others took during the measurement. Above some percent, times are too long.
 */
function disturbance(results: readonly Result[]): string {
  const sum = (figure: (result: Result) => number): number =>
    results.reduce((total, result) => total + figure(result), 0)
  const processors = availableParallelism()
  const share = sum(({ cpuSeconds }) => cpuSeconds.others) / (sum(({ seconds }) => seconds) * processors)
  const load = Math.max(...results.map((result) => result.load))
  return `${processors} processors; other processes took ${(share * 100).toFixed(0)} % of them, load at most ${load}.`
}

async function main(options: Options): Promise<boolean> {
  await ensureBinaries(report)
  if (!options.checkout && options.contender.includes('sliceflow')) await buildSliceflow()
  const { only: names, scale, sizes, churn, preparedFirst: isPreparedFirst } = options
  const works = worksOf({ names, scale, sizes, churn, isPreparedFirst })
  const results: Result[] = []
  try {
    const { contender: contenders, roundTrip: roundTripMs } = options
    for await (const result of race({ ...options, works, contenders, roundTripMs, report })) {
      results.push(result)
      if (options.out !== undefined) await appendFile(options.out, `${JSON.stringify(result)}\n`)
    }
  } finally {
    if (results.length > 0) stdout.write(`${tableOf(results)}\n\n${disturbance(results)}\n`)
  }
  return results.every(({ differences }) => differences.length === 0)
}

const options = readOptions()
await runToExitCode(() => main(options))
