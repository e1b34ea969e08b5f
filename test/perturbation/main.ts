/** Sliceflow under perturbation on a real kube-apiserver; see README.md. */
import { stderr, stdout } from 'node:process'
import { Command, InvalidArgumentError, Option } from 'commander'
import { ensureBinaries } from '../cluster/binaries.ts'
import { runToExitCode } from '../support/go-program.ts'
import { wholeNumber } from '../support/whole-number.ts'
import { FAULT_NAMES, type FaultName, putFault } from './faults.ts'
import { drawPlans, PLANNED_KINDS, type PlannedKind } from './plan.ts'

interface Options {
  readonly seed: number
  readonly only?: readonly PlannedKind[]
  readonly atOnce?: number
  readonly fault?: FaultName
}

function kinds(text: string): readonly PlannedKind[] {
  return text.split(',').map((name) => {
    const kind = PLANNED_KINDS.find((one) => one === name)
    if (kind === undefined) throw new InvalidArgumentError(`There are ${PLANNED_KINDS.join(', ')}.`)
    return kind
  })
}

const command = new Command('main.ts')
  .description(
    'Plays seeded plans of changes to Sliceflow while what it sees of its API server is perturbed.',
  )
  .argument('[plans]', 'how many', wholeNumber, 200)
  .option('--seed <seed>', 'of the first plan; each further one has the next', wholeNumber, 1)
  .option(
    '--only <kinds>',
    'plans begin with these perturbations in turn, by comma; default: with all',
    kinds,
  )
  .option('--at-once <n>', 'plans that are played side by side; default 4', wholeNumber)
  .addOption(new Option('--fault <name>', 'put into Sliceflow, to be noticed').choices(FAULT_NAMES))
  .addHelpText('after', '\nExit codes: 0 all is as undisturbed, 1 it is not, 2 wrong use or no programs.')
  .configureOutput({ writeErr: (text) => void stderr.write(text) })
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse()
const options = command.opts<Options>()
const [count = 200] = command.processedArgs as [number?]

const line = (text: string): void => void stderr.write(`${text}\n`)

async function play(): Promise<boolean> {
  if (options.fault !== undefined) putFault(options.fault)
  // Loaded when the fault is in.
  const { runPlans } = await import('./run.ts')
  const { failureText, progressText, tableText } = await import('./report.ts')
  const seeds = Array.from({ length: count }, (_, index) => options.seed + index)
  const only = options.only ? ` --only ${options.only.join()}` : ''
  const fault = options.fault ? ` --fault ${options.fault}` : ''
  const results = await runPlans(drawPlans(seeds, options.only ?? PLANNED_KINDS), {
    atOnce: options.atOnce,
    report(played) {
      line(progressText(played))
      const again = `npm run test:perturbation -- 1 --seed ${played.plan.seed}${only}${fault}`
      if (played.problems.length > 0) line(failureText(played, again))
    },
  })
  const failed = results.filter(({ problems }) => problems.length > 0)
  stdout.write(`${tableText(results)}\n\n${results.length} plans, ${failed.length} failed\n`)
  return failed.length === 0
}

await runToExitCode(async () => {
  await ensureBinaries(line)
  return play()
})
