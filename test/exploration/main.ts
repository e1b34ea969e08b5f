import { argv, cpuUsage, stdout } from 'node:process'
import { parseArgs } from 'node:util'
import { exploreAll } from './explore.ts'
import {
  consistentScenarios,
  deepScenarios,
  factsScenarios,
  hintedScenarios,
  minimumVersionScenarios,
  type NamedScenario,
} from './scenarios/index.ts'
import { createWorkersModel } from './workers.ts'

const USAGE = `node test/exploration/main.ts [--deep] [--only TEXT] [--max-states N]

Goes through every interleaving of the workers of each scenario and prints a table; ends with the first that goes wrong.
--deep adds larger scenarios (minutes, some GB of memory: node --max-old-space-size=6000); --only takes the scenarios whose name has TEXT in it.
`
const MAX_STATES = 4_000_000

const seconds = (): number => (cpuUsage().user + cpuUsage().system) / 1e6

async function print(group: string, scenarios: readonly NamedScenario[], maxStates: number): Promise<void> {
  for (const scenario of scenarios) {
    const began = seconds()
    const model = createWorkersModel(scenario)
    const { states, steps, ends } = await exploreAll(model, maxStates)
    const cells = [group, scenario.name, states, steps, ends, model.histories, (seconds() - began).toFixed(1)]
    stdout.write(`| ${cells.join(' | ')} |\n`)
  }
}

const { values } = parseArgs({
  args: argv.slice(2),
  options: {
    deep: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    'max-states': { type: 'string', default: String(MAX_STATES) },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) stdout.write(USAGE)
else {
  const isWanted = ({ name, isDeep = false }: NamedScenario): boolean =>
    name.includes(values.only) && (values.deep || !isDeep)
  const maxStates = Number(values['max-states'])
  stdout.write('| reads | scenario | states | steps | ends | histories | CPU seconds |\n')
  stdout.write('| --- | --- | --- | --- | --- | --- | --- |\n')
  await print('consistent', (await consistentScenarios()).filter(isWanted), maxStates)
  await print('version', (await minimumVersionScenarios()).filter(isWanted), maxStates)
  await print('hinted', (await hintedScenarios()).filter(isWanted), maxStates)
  await print('facts', (await factsScenarios()).filter(isWanted), maxStates)
  if (values.deep) await print('deep', (await deepScenarios()).filter(isWanted), maxStates)
}
