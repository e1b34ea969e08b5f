import { stdout } from 'node:process'
import { Command, Option } from 'commander'
import { type Figure, isMet, rowOf } from './figure.ts'
import { SCENARIOS } from './scenarios.ts'

type Scenario = keyof typeof SCENARIOS

const NAMES = Object.keys(SCENARIOS) as Scenario[]

const options = new Command('npm run bench -- relay')
  .description(
    'Measures a relay in a process of its own, against API servers in another one. The queue takes every key at once.',
  )
  .addOption(new Option('--scenario <names...>', 'not all of them').choices(NAMES).default(NAMES, 'all'))
  .addHelpText(
    'after',
    `
Scenarios:
  large     2,000 Services and 50,000 pods of 5 kB: memory, time of the first list, 5,000 pod events a second
  fleet     50 clusters of 200 Services: memory and processor time a cluster; then one floods (10,000 changes a second) and one is dead
  capacity  40 clusters with 20,000 Services and 500,000 pods of 5 kB: memory, time to ready, pauses, 2,000 pod events a second
  shards    40 clusters divided among 4 relays: how evenly; then one is killed, and its standby goes on
Exit codes: 0 every goal met, 1 not.`,
  )
  .parse()
  .opts<{ readonly scenario: readonly Scenario[] }>()

const figures: Figure[] = []
for (const name of options.scenario) {
  const measured = await SCENARIOS[name]()
  figures.push(...measured)
  stdout.write(
    `\n| ${name} | measured | goal | met |\n| --- | ---: | ---: | --- |\n${measured.map(rowOf).join('\n')}\n`,
  )
}
process.exitCode = figures.every(isMet) ? 0 : 1
