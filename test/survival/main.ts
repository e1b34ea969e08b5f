/**
 * The in-tree controller and Sliceflow through the same faults, one after the other on the same API server;
 * see README.md.
 */
import { spawnSync } from 'node:child_process'
import { execPath, exit, stderr, stdout } from 'node:process'
import { fileURLToPath } from 'node:url'
import { Argument, Command, Option } from 'commander'
import { ensureBinaries } from '../cluster/binaries.ts'
import { runToExitCode } from '../support/go-program.ts'
import { mark, reportText } from './report.ts'
import { type Result, runScenarios } from './run.ts'
import type { Scenario } from './scenario.ts'
import { SCENARIOS } from './scenarios/index.ts'
import { openSurroundings } from './surroundings.ts'

interface Options {
  readonly part?: 'fleet'
  readonly only?: readonly string[]
  readonly subject?: string
}

const list = (text: string): string[] => text.split(',')

function readOptions(): Options {
  const command = new Command('main.ts')
    .description('Plays faults to kube-controller-manager and to Sliceflow and tells who survives what.')
    .addArgument(
      new Argument('[part]', 'what users of multi-cluster Services met, played to Sliceflow alone').choices([
        'fleet',
      ]),
    )
    .option('--only <ids>', 'these scenarios, by comma', list)
    .addOption(
      new Option('--subject <id>', 'this one only').choices(['kube-controller-manager', 'sliceflow']),
    )
    .addHelpText(
      'after',
      '\nExit codes: 0 Sliceflow survives everything, 1 it does not, 2 wrong use or no programs.',
    )
    .parse()
  const [part] = command.args
  return { ...command.opts<Options>(), ...(part === 'fleet' && { part }) }
}

/** Plays the rows as tests, which CI runs as well. Each says its source, and fails if it is not survived. */
function playFleet(): number {
  const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
  const flags = ['run', '--project', 'cluster', '--reporter', 'tree', 'test/cluster/fleet-survival.test.ts']
  return spawnSync(execPath, [vitest, ...flags], { stdio: 'inherit' }).status ?? 1
}

const line = (text: string): void => void stderr.write(`${text}\n`)

const progress = ({ scenario, subject, seconds, losses = 0, ...result }: Result): void =>
  line(
    `${mark(result).padEnd(4)}${subject} ${scenario.id}: ${result.observed}, ${losses} losses (${seconds.toFixed(1)} s)`,
  )

async function play(scenarios: readonly Scenario[], { subject }: Options): Promise<boolean> {
  const { kinds, surroundings, close } = await openSurroundings()
  const subjects = kinds.filter(({ id }) => subject === undefined || subject === id)
  const results: Result[] = []
  try {
    for (const kind of subjects) {
      line(`${scenarios.length} scenarios with ${kind.name}`)
      results.push(...(await runScenarios(scenarios, kind, surroundings, progress)))
    }
  } finally {
    await close()
  }
  stdout.write(`${reportText({ subjects, scenarios, results })}\n`)
  return results.every((result) => result.survived || result.subject !== 'sliceflow')
}

const options = readOptions()
if (options.part === 'fleet') {
  await ensureBinaries(line)
  exit(playFleet())
}
const scenarios = SCENARIOS.filter(({ id }) => options.only?.includes(id) ?? true)
if (scenarios.length === 0) {
  line(`--only: there are ${SCENARIOS.map(({ id }) => id).join(', ')}`)
  exit(2)
}
await runToExitCode(async () => {
  await ensureBinaries(line)
  return play(scenarios, options)
})
