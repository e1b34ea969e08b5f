import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { kubeconfigText, mergeKubeconfigs } from '../../support/kubeconfig.ts'
import type { Figure } from './figure.ts'
import { observe } from './observe.ts'
import { type ChangesProcess, startEmbeddedProcess, startRelayProcess } from './processes.ts'

const CLUSTERS = 49
const SERVICES = 200
/** Control planes of one process. */
const A_PROCESS = Math.ceil(CLUSTERS / Math.max(2, availableParallelism()))
/** More than an embedded control plane takes. */
const FLOOD_PER_SECOND = 10_000
const OBSERVED = { perSecond: 1, seconds: 20 }

/**
 * Measures one relay and 50 real control planes of 200 Services. One of them is flooded with writes and one
 * is dead; no change may be lost.
 */
export async function measureEmbedded(): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'sliceflow-bench-'))
  const names = Array.from({ length: CLUSTERS }, (_, index) => `cluster-${index}`)
  const [flooding = '', ...others] = names
  const { servers, kubeconfigs } = await startControlPlanes(names, directory)
  const dead = createServer().listen(0, '127.0.0.1')
  await once(dead, 'listening')
  const server = `https://127.0.0.1:${(dead.address() as AddressInfo).port}`
  kubeconfigs.push(kubeconfigText([{ name: 'dead', server, authority: '', user: { token: 'none' } }]))
  const kubeconfig = join(directory, 'all.yaml')
  await writeFile(kubeconfig, mergeKubeconfigs(kubeconfigs), { mode: 0o600 })
  const relay = startRelayProcess({ clusters: [...names, 'dead'], kubeconfig, told: others })
  await relay.following(CLUSTERS)
  await sleep(2000)
  const listed = await relay.usage()
  const untouched = new Map([...servers].filter(([name]) => name !== flooding))
  const quiet = await observe({ servers: untouched, relay, ...OBSERVED })
  const flood = servers
    .get(flooding)
    ?.change({ cluster: flooding, perSecond: FLOOD_PER_SECOND, seconds: OBSERVED.seconds })
  const flooded = await observe({ servers: untouched, relay, ...OBSERVED })
  const written = (await flood) ?? 0
  const end = await relay.usage()
  await relay.stop()
  for (const process of new Set(servers.values())) process.stop()
  dead.close()
  await rm(directory, { recursive: true })
  return [
    {
      name: 'keys sent after the first lists',
      value: listed.keysSent,
      unit: '',
      goal: { above: CLUSTERS * SERVICES - 1 },
    },
    { name: 'resident memory of the relay', value: end.rssMb, unit: 'MB' },
    { name: 'change to key, 48 clusters, p50', value: quiet.percentile(0.5), unit: 'ms' },
    { name: 'change to key, 48 clusters, p99', value: quiet.percentile(0.99), unit: 'ms' },
    {
      name: 'the same while one is flooded, p50',
      value: flooded.percentile(0.5),
      unit: 'ms',
      goal: { below: 500 },
    },
    {
      name: 'the same while one is flooded, p99',
      value: flooded.percentile(0.99),
      unit: 'ms',
      goal: { below: 1000 },
    },
    { name: 'their changes without a key', value: quiet.open + flooded.open, unit: '', goal: { below: 1 } },
    { name: 'writes that the flooded one took', value: written / OBSERVED.seconds, unit: '/s' },
  ]
}

interface ControlPlanes {
  /** Processes of the clusters, by name. */
  readonly servers: ReadonlyMap<string, ChangesProcess>
  readonly kubeconfigs: string[]
}

async function startControlPlanes(names: readonly string[], directory: string): Promise<ControlPlanes> {
  const servers = new Map<string, ChangesProcess>()
  const kubeconfigs: string[] = []
  const groups = Map.groupBy(names, (_, index) => Math.floor(index / A_PROCESS))
  const started = [...groups].map(async ([group, clusters]) => {
    const kubeconfig = join(directory, `${group}.yaml`)
    const process = await startEmbeddedProcess({ clusters, services: SERVICES, kubeconfig })
    for (const cluster of clusters) servers.set(cluster, process)
    kubeconfigs.push(await readFile(kubeconfig, 'utf8'))
  })
  await Promise.all(started)
  return { servers, kubeconfigs }
}
