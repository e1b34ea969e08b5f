/**
 * 500 exported Services in 5 clusters, rolling updates in two of them: how late every cluster imports a
 * change, what that writes and reads, and what a restart costs.
 */
import { availableParallelism } from 'node:os'
import { stdout } from 'node:process'
import { Command, Option } from 'commander'
import { startSliceflowProcess } from '../../support/sliceflow-process.ts'
import { count, createReport, positive } from '../arguments.ts'
import { type Figure, isMet, rowOf } from '../relay/figure.ts'
import { openArena, SERVERS, type ServerKind } from './arena.ts'
import { watchArrivals } from './arrivals.ts'
import { measureFirstSync, measureRestart, measureRolling, type Scene } from './phases.ts'
import { populate, servicesOf } from './workload.ts'

const options = new Command('npm run bench -- fleet')
  .description(
    '`sliceflow run --fleet`: Services that two clusters export each and all import. Pods of two clusters, whose slices the in-tree controller makes, are replaced one by one; then Sliceflow is started again. Prints a table.',
  )
  .addOption(new Option('--server <kind>', 'of each cluster').choices(SERVERS).default('kube-apiserver'))
  .option('--clusters <n>', 'each with a store of its own', count, 5)
  .option('--services <n>', 'of the set', count, 500)
  .option('--pods <n>', 'of each Service in each cluster that exports it', count, 4)
  .option('--seconds <n>', 'of rolling updates', count, 60)
  .option('--per-second <n>', 'pods that are replaced in each of the two clusters', positive, 4)
  .addHelpText('after', '\nExit codes: 0 every goal met, 1 not.')
  .parse()
  .opts<{
    readonly server: ServerKind
    readonly clusters: number
    readonly services: number
    readonly pods: number
    readonly seconds: number
    readonly perSecond: number
  }>()

const ROLLING_CLUSTERS = 2
const SERVICES_AT_ONCE = 8

const report = createReport()

async function measure(): Promise<Figure[]> {
  const { server, clusters: wanted, services: many, pods: podsOfEach, seconds, perSecond } = options
  const names = Array.from({ length: wanted }, (_, index) => `cluster-${index + 1}`)
  report(`starting ${wanted} clusters (${server}) on ${availableParallelism()} cores`)
  await using arena = await openArena(server, names, ROLLING_CLUSTERS)
  const { clusters, kubeconfig } = arena
  const services = servicesOf({ services: many, pods: podsOfEach }, wanted)
  report(`making ${many} Services, ${podsOfEach} endpoints in each of 2 clusters`)
  const pods = await populate(clusters, services, { services: many, pods: podsOfEach })
  const arrivals = await watchArrivals(clusters.map(({ client }) => client))
  const start = () =>
    startSliceflowProcess({ kubeconfig, flags: ['--fleet', ...names.flatMap((name) => ['--context', name])] })
  const scene: Scene = { clusters, services, pods, arrivals, start, report }
  try {
    const { sliceflow, figures } = await measureFirstSync(scene, podsOfEach)
    try {
      const rolling = await measureRolling(scene, { seconds, perSecond, atOnce: SERVICES_AT_ONCE })
      return [...figures, ...rolling, ...(await measureRestart(scene, sliceflow))]
    } finally {
      sliceflow.kill('SIGKILL')
    }
  } finally {
    arrivals.close()
  }
}

const figures = await measure()
stdout.write(
  `| fleet | measured | goal | met |\n| --- | ---: | ---: | --- |\n${figures.map(rowOf).join('\n')}\n`,
)
process.exit(figures.every(isMet) ? 0 : 1)
