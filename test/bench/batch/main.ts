import { stdout } from 'node:process'
import { Command } from 'commander'
import { count } from '../arguments.ts'
import { forkModule } from '../forked.ts'
import { type Figure, figure, isMet } from '../relay/figure.ts'
import type { BatchFunctions, FunctionStart } from './function-main.ts'
import type { BatchShape, ServerFunctions } from './server-main.ts'

const options = new Command('npm run bench -- batch')
  .description(
    'The memory that the reconcile function takes for a batch of 100 keys of 25 clusters, none with a hint, each of a Service with many large pods and no slices yet.',
  )
  .option('--pods <n>', 'of each Service', count, 300)
  .option('--pod-bytes <n>', 'of the JSON of each', count, 20_000)
  .addHelpText('after', '\nExit codes: 0 every goal met, 1 not.')
  .parse()
  .opts<{ readonly pods: number; readonly podBytes: number }>()

/**
 * Default memory of the function. Only this goal bounds what Node takes: its old objects may have nine
 * tenths.
 */
const MEMORY_MB = 512
const FLAGS = ['--max-old-space-size=460', '--max-semi-space-size=25']

const shape: BatchShape = {
  clusters: 25,
  servicesPerCluster: 4,
  podsPerService: options.pods,
  podBytes: options.podBytes,
}
const keys = shape.clusters * shape.servicesPerCluster

const server = forkModule<ServerFunctions>(new URL('./server-main.ts', import.meta.url), shape)
const start: FunctionStart = { shape, address: await server.call('address') }
const module = new URL('./function-main.ts', import.meta.url)
const batch = forkModule<BatchFunctions>(module, start, { execArgv: FLAGS })
const usage = await batch.call('usage')
batch.stop()
server.stop()

const figures: Figure[] = [
  figure('keys that failed', usage.failed, '', { below: 1 }),
  figure('endpoints published', usage.endpoints, '', { above: keys * shape.podsPerService - 1 }),
  figure('resident memory, peak', usage.peakRssMb, 'MB', { below: 0.75 * MEMORY_MB }),
  figure('processor time', usage.cpuSeconds, 's'),
  figure('time', usage.seconds, 's'),
]
for (const one of figures) {
  const { name, value, unit } = one
  stdout.write(
    `${name}: ${value.toLocaleString('en', { maximumFractionDigits: 1 })} ${unit}${isMet(one) ? '' : ' (NOT MET)'}\n`,
  )
}
process.exitCode = figures.every(isMet) ? 0 : 1
