import { argv, exit, stderr, stdout } from 'node:process'
import { parseArgs } from 'node:util'
import { type Figure, isMet, rowOf } from './figure.ts'
import { SCENARIOS } from './scenarios.ts'

const USAGE = `node test/bench/relay/main.ts [--scenario large|fleet|capacity|shards] [--json]

Measures a relay in a process of its own, against API servers in another one:
large: 2,000 Services and 50,000 pods of 5 kB: memory, time of the first list, 5,000 pod events a second.
fleet: 50 clusters of 200 Services: memory and processor time a cluster; then one floods (10,000 changes a second) and one is dead.
capacity: 40 clusters with 20,000 Services and 500,000 pods of 5 kB: memory, time to ready, pauses, 2,000 pod events a second.
shards: 40 clusters divided among 4 relays: how evenly; then one is killed, and its standby goes on.
The queue takes every key at once. --json prints the figures as JSON. Exit codes: 0 every goal met, 1 not, 2 usage error.`

const isScenario = (name: string): name is keyof typeof SCENARIOS => name in SCENARIOS

function readArguments(): { names: (keyof typeof SCENARIOS)[]; json: boolean } {
  const { values } = parseArgs({
    args: argv.slice(2),
    options: { scenario: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean' } },
  })
  if (values.help) {
    stdout.write(`${USAGE}\n`)
    exit(0)
  }
  const names = values.scenario === undefined ? Object.keys(SCENARIOS) : [values.scenario]
  const unknown = names.find((name) => !isScenario(name))
  if (unknown !== undefined) throw new Error(`there is no scenario ${unknown}`)
  return { names: names.filter(isScenario), json: values.json ?? false }
}

let settings: ReturnType<typeof readArguments>
try {
  settings = readArguments()
} catch (error) {
  stderr.write(`${(error as Error).message}\n\n${USAGE}\n`)
  exit(2)
}
const figures: Figure[] = []
for (const name of settings.names) {
  const measured = await SCENARIOS[name]()
  figures.push(...measured)
  if (!settings.json)
    stdout.write(
      `\n| ${name} | measured | goal | met |\n| --- | ---: | ---: | --- |\n${measured.map(rowOf).join('\n')}\n`,
    )
}
if (settings.json) stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`)
process.exitCode = figures.every(isMet) ? 0 : 1
