import { writeFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { createControlPlane } from '../../../shared/control-plane/index.ts'
import {
  type ApiClient,
  createApiClient,
  loadClusters,
  NAMESPACES,
  NODES,
  SERVICES,
} from '../../../shared/kubernetes/index.ts'
import { kubeconfigText, mergeKubeconfigs } from '../../support/kubeconfig.ts'
import { createFakePods, makeNode, makePod, makeService } from '../../support/world/index.ts'
import { forkedOptions, report, serveFunctions } from '../forked.ts'
import type { Changed, ChangesRequest, EmbeddedOptions } from './messages.ts'
import { SERVICE_PREFIX } from './workload.ts'

/** Embedded control planes in a process of their own, each with Services of a pod each. */
const { clusters, services, kubeconfig } = forkedOptions<EmbeddedOptions>()
const NAMESPACE = 'shop'
/** Requests to one control plane at once. */
const CONCURRENCY = 8

/** Changes of each cluster so far: the next request goes on with the pod after the last one. */
const changesOf = new Map<string, number>()

await writeFile(kubeconfig, mergeKubeconfigs(await Promise.all(clusters.map(startCluster))), { mode: 0o600 })
const connections = await loadClusters(kubeconfig, clusters)
const clients = new Map(connections.map((connection) => [connection.name, createApiClient(connection)]))
await Promise.all([...clients.values()].map(populate))
const functions = { serving: () => undefined, change }
serveFunctions(functions)
export type EmbeddedFunctions = typeof functions

/** Returns its kubeconfig. */
async function startCluster(name: string): Promise<string> {
  const controlPlane = await createControlPlane({
    authentication: { tokens: { [name]: { username: 'bench', groups: ['system:masters'] } } },
  })
  const { url } = await controlPlane.listen()
  const data: string = parse(controlPlane.kubeconfig).clusters[0].cluster['certificate-authority-data']
  const authority = Buffer.from(data, 'base64').toString()
  return kubeconfigText([{ name, server: url, authority, user: { token: name } }])
}

async function populate(client: ApiClient): Promise<void> {
  await client.create(NAMESPACES, { metadata: { name: NAMESPACE } })
  await client.create(NODES, makeNode())
  const pods = createFakePods(client)
  await inParallel(services, async (index) => {
    const name = `${SERVICE_PREFIX}${index}`
    const annotations = { 'sliceflow.dev/selector': `app=${name}` }
    const spec = { ipFamilies: ['IPv4'], ports: [{ port: 80, targetPort: 8080 }] }
    await client.create(
      SERVICES,
      makeService({ namespace: NAMESPACE, name, selector: null, annotations, spec }),
    )
    const pod = makePod({ namespace: NAMESPACE, name, labels: { app: name } })
    await pods.start(pod, [`10.0.${index >> 8}.${index % 256}`])
  })
}

/** Makes one pod after the other unready, and ready again in the next round. */
async function change({ cluster, perSecond, seconds, isReported }: ChangesRequest): Promise<number> {
  const client = clients.get(cluster)
  if (client === undefined) throw new Error(`there is no cluster ${cluster}`)
  const pods = createFakePods(client)
  const end = performance.now() + seconds * 1000
  const first = changesOf.get(cluster) ?? 0
  let sent = 0
  await inParallel(perSecond * seconds, async (index) => {
    const isDue = (): boolean => index < perSecond * (seconds - (end - performance.now()) / 1000)
    while (!isDue()) await new Promise((resolve) => setTimeout(resolve, 20))
    if (performance.now() > end) return
    const place = first + index
    const service = `${SERVICE_PREFIX}${place % services}`
    const at = Date.now()
    const ready = Math.floor(place / services) % 2 === 1
    await pods.setReady({ namespace: NAMESPACE, name: service }, ready)
    sent++
    if (isReported) report({ cluster, service, at, ready } satisfies Changed)
  })
  changesOf.set(cluster, first + sent)
  return sent
}

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
}
