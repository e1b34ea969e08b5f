import { stderr, stdout } from 'node:process'
import { Command } from 'commander'
import { loadSpecFile } from '../../../shared/views/index.ts'
import { type Measurement, type MeasureOptions, measure } from './measure.ts'

new Command('npm run bench -- views')
  .description(
    "Times what a change of one of a Service's 5 addresses costs: for the incremental engine at 100, 1,000 and 10,000 Services, and for the snapshot engine, which computes all again, at 1 Service (as functions use it) and at 100.",
  )
  .parse()

const ENDPOINTS = 5
const INCREMENTAL = [100, 1_000, 10_000]
const SNAPSHOT = [1, 100]
const EVENTS_PER_ROUND = { incremental: 500, snapshot: 20 }
const SPECS = ['endpoints', 'endpoint-lists'] as const

interface Figure extends Measurement {
  readonly spec: string
  readonly mode: MeasureOptions['mode']
  readonly services: number
}

async function measureAll(): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const name of SPECS) {
    const spec = await loadSpecFile(new URL(`../../../examples/views/${name}.yaml`, import.meta.url).pathname)
    for (const mode of ['incremental', 'snapshot'] as const) {
      for (const services of mode === 'incremental' ? INCREMENTAL : SNAPSHOT) {
        const workload = { services, endpoints: ENDPOINTS }
        figures.push({
          spec: name,
          mode,
          services,
          ...measure(spec, { mode, workload, events: EVENTS_PER_ROUND[mode] }),
        })
        stderr.write(`measured ${name} ${mode} ${services}\n`)
      }
    }
  }
  return figures
}

const rowOf = ({ spec, mode, services, medianMs, cpuMs, deltas }: Figure): string =>
  `| ${spec} | ${mode} | ${services.toLocaleString('en')} | ${medianMs.toFixed(3)} | ${cpuMs.toFixed(3)} | ${deltas.toFixed(1)} |`

/** Divides the time for the most Services by the time for the fewest. */
function growthOf(figures: readonly Figure[], name: string): string {
  const times = figures
    .filter(({ spec, mode }) => spec === name && mode === 'incremental')
    .map(({ cpuMs }) => cpuMs)
  return `${name}: ${((times.at(-1) ?? 0) / (times[0] ?? 1)).toFixed(2)}`
}

const figures = await measureAll()
stdout.write('| spec | engine | Services | ms an event | ms of processor | view deltas an event |\n')
stdout.write(`| --- | --- | ---: | ---: | ---: | ---: |\n${figures.map(rowOf).join('\n')}\n`)
const growth = SPECS.map((name) => growthOf(figures, name)).join(', ')
stdout.write(`\nprocessor time an event at 10,000 Services by that at 100: ${growth}\n`)
