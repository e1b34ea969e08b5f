/**
 * Recordings: whether what is simulated of them is what happened, how quickly they are played, and what they
 * cost.
 */
import { stdout } from 'node:process'
import { Command, Option } from 'commander'
import { ensureBinaries } from '../../cluster/binaries.ts'
import { runToExitCode } from '../../support/go-program.ts'
import { count, createReport, positive } from '../arguments.ts'
import { buildSliceflow } from '../race/contenders.ts'
import { worksOf } from '../race/works/index.ts'
import { type Agreement, agreementTable, agrees, measureAgreement } from './agreement.ts'
import { costTable, isCheap, measureCost } from './cost.ts'
import { dayText, MAX_MB, MAX_SECONDS, measureDay } from './day.ts'

const PARTS = ['agreement', 'day', 'cost'] as const
type Part = (typeof PARTS)[number]

interface Options {
  readonly only: readonly Part[]
  readonly scale: number
  readonly hours: number
  readonly window: number
  readonly pairs: number
  readonly checkout: boolean
}

const options = new Command('npm run bench -- recording')
  .description(
    'Records what `sliceflow run` does on a real kube-apiserver and simulates it; plays a day of 100 changes a second; measures what recording costs.',
  )
  .addOption(new Option('--only <parts...>', 'not all of it').choices(PARTS).default(PARTS, 'all'))
  .option('--scale <share>', 'agreement: of the sizes and times of rolling and churn', positive, 1)
  .option('--hours <n>', 'day: of recorded time', positive, 24)
  .option('--window <seconds>', 'day: the coalescing window that it is recorded and played with', positive, 5)
  .option('--pairs <n>', 'cost: of laps of 10 s, one without a recording and one with', count, 30)
  .option('--checkout', 'agreement: Sliceflow from the sources rather than bundled as it is installed', false)
  .addHelpText(
    'after',
    `
Exit codes: 0 writes and bytes are within 10 % of the real ones and half of the delays within 25 %, the day is played within ${MAX_SECONDS} s and
${MAX_MB} MB, and recording adds at most 5 % to CPU and to the p99 of a lap; 1 not, or slices were wrong in the end; 2 no programs.
Nothing else should run on the machine: a recording does not contain delays before the relay receives a change.`,
  )
  .parse()
  .opts<Options>()

const report = createReport()

async function agreement({ scale, checkout }: Options): Promise<boolean> {
  const agreements: Agreement[] = []
  for (const work of worksOf({ names: ['rolling', 'churn'], scale, sizes: [] }))
    agreements.push(await measureAgreement(work, { checkout, report }))
  for (const { differences } of agreements)
    for (const difference of differences) report(`wrong: ${difference}`)
  stdout.write(`${agreementTable(agreements)}\n\n`)
  return agreements.every(agrees)
}

async function day({ hours, window }: Options): Promise<boolean> {
  const measured = await measureDay({ hours, window, report })
  stdout.write(`${dayText(measured)}\n\n`)
  return measured.seconds <= MAX_SECONDS && measured.memoryMb <= MAX_MB
}

async function cost(options: Options): Promise<boolean> {
  const measured = await measureCost({ ...options, report })
  stdout.write(`${costTable(measured)}\n\n`)
  return isCheap(measured)
}

const MEASURES: Readonly<Record<Part, (options: Options) => Promise<boolean>>> = { agreement, day, cost }

async function main(): Promise<boolean> {
  const isReal = options.only.some((part) => part !== 'day')
  if (isReal) await ensureBinaries(report)
  if (options.only.includes('agreement') && !options.checkout) await buildSliceflow()
  let isRight = true
  for (const part of PARTS)
    if (options.only.includes(part)) isRight = (await MEASURES[part](options)) && isRight
  return isRight
}

await runToExitCode(main)
