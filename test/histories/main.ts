/** Random histories of clusters and of `sliceflow run` processes; see README.md. */
import { stderr, stdout } from 'node:process'
import { Command, Option } from 'commander'
import { ensureBinaries } from '../cluster/binaries.ts'
import { FAULT_NAMES } from '../perturbation/faults.ts'
import { runToExitCode } from '../support/go-program.ts'
import { wholeNumber } from '../support/whole-number.ts'
import type { SelectionMode } from '../support/world/index.ts'
import { BOUND_SECONDS, drawRounds, OPERATIONS, type Outcome, playHistory } from './history.ts'
import type { ServerKind } from './servers.ts'
import { shrink } from './shrink.ts'

interface Options {
  readonly seed: number
  readonly minutes: number
  readonly rounds?: number
  readonly servers: ServerKind
  readonly mode: SelectionMode
  readonly clusters: number
  readonly keepsState?: boolean
  readonly fleet?: boolean
  readonly without: readonly string[]
  readonly shrink: number
  readonly boundSeconds: number
  readonly fault?: string
}

const command = new Command('main.ts')
  .description(
    'Plays a random history, and compares at each quiet point what is published with what must be.',
  )
  .option('--seed <seed>', 'of everything that is drawn', wholeNumber, 1)
  .option('--minutes <n>', 'ends after the round in which this time is over', wholeNumber, 1)
  .option('--rounds <n>', 'ends after this round instead', wholeNumber)
  .addOption(new Option('--servers <kind>').choices(['embedded', 'real']).default('embedded'))
  .addOption(new Option('--mode <mode>').choices(['custom', 'replace']).default('custom'))
  .option('--keeps-state', 'a queue that outlives the processes, and --state-dir')
  .option('--clusters <n>', 'of one process', wholeNumber, 1)
  .option('--fleet', 'the clusters, two at least, are a cluster set')
  .addOption(
    new Option('--without <operations...>', 'not to be drawn')
      .choices(OPERATIONS.map(({ name }) => name))
      .default([]),
  )
  .option('--shrink <minutes>', 'after a failure: time for finding fewer steps that fail', wholeNumber, 5)
  .addOption(
    new Option('--bound-seconds <n>', 'at a quiet point until all is right; more on a busy machine')
      .argParser(wholeNumber)
      .default(BOUND_SECONDS),
  )
  .addOption(new Option('--fault <name>', 'put into Sliceflow, to be noticed').choices(FAULT_NAMES))
  .addHelpText('after', '\nExit codes: 0 no key was late, 1 one was, 2 wrong use or no programs.')
  .configureOutput({ writeErr: (text) => void stderr.write(text) })
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse()
const { minutes, rounds, without, shrink: shrinkMinutes, ...scene } = command.opts<Options>()

const line = (text: string): void => void stderr.write(`${text}\n`)

function failureText({ late, folder, lines }: Outcome): string {
  return [...lines, 'late:', ...late.map((text) => `  ${text}`), `logs and recordings: ${folder}`].join('\n')
}

/** Counts what was done to processes, servers and connections. */
function doneText({ lines }: Outcome): string {
  const done = lines.flatMap(
    (text) => / ((?:run|server|outage)-[a-z-]+): (?!nothing|refused)/.exec(text)?.[1] ?? [],
  )
  const counts = Map.groupBy(done, (name) => name)
  return [...counts].map(([name, all]) => `${all.length} ${name}`).join(', ')
}

async function play(): Promise<boolean> {
  const end = performance.now() + minutes * 60_000
  let left = rounds ?? Number.POSITIVE_INFINITY
  const isOver = (): boolean => --left <= 0 || (rounds === undefined && performance.now() > end)
  const outcome = await playHistory(scene, drawRounds(scene, without), { isOver, report: line })
  const steps = outcome.rounds.flat().length
  const size = `seed ${scene.seed}, ${scene.servers}, ${scene.mode}: ${outcome.rounds.length} quiet points, ${steps} steps`
  if (outcome.late.length === 0) {
    stdout.write(`${size}, no late key; slowest ${outcome.slowest.toFixed(1)} s\n${doneText(outcome)}\n`)
    return true
  }
  stdout.write(`${failureText(outcome)}\n${size}, FAILED; again: ${againText(outcome)}\n`)
  const shortest = await shrink(scene, outcome, { minutes: shrinkMinutes, report: line })
  if (shortest !== outcome)
    stdout.write(`with ${shortest.rounds.flat().length} steps:\n${failureText(shortest)}\n`)
  return false
}

const againText = (outcome: Outcome): string =>
  [
    `npm run test:histories -- --seed ${scene.seed} --rounds ${outcome.rounds.length}`,
    `--servers ${scene.servers} --mode ${scene.mode} --clusters ${scene.clusters}`,
    ...(scene.keepsState === true ? ['--keeps-state'] : []),
    ...(scene.fleet === true ? ['--fleet'] : []),
    ...(scene.boundSeconds === BOUND_SECONDS ? [] : [`--bound-seconds ${scene.boundSeconds}`]),
    ...(without.length > 0 ? [`--without ${without.join(' ')}`] : []),
    ...(scene.fault === undefined ? [] : [`--fault ${scene.fault}`]),
  ].join(' ')

await runToExitCode(async () => {
  if (scene.servers === 'real') await ensureBinaries(line)
  return play()
})
