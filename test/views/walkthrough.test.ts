import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openClusters, startEmbeddedQueues, startLocal } from '../../cli/local/index.ts'
import { type ApiClient, ENDPOINT_SLICES, NODES, SERVICES } from '../../shared/kubernetes/index.ts'
import { parseSettings } from '../../shared/settings/index.ts'
import { SILENT_LOG } from '../../shared/telemetry/index.ts'
import { startConnectedCluster } from '../support/kubeconfig-folder.ts'
import { createFakePods, makeNode, makePod, makeService } from '../support/world/index.ts'
import { startViews } from './views-command.ts'

const SPEC = join(import.meta.dirname, '../../examples/views/endpoint-lists.yaml')
const NAMESPACE = 'default'
const SERVICE = 'testsvc'
const PODS = [
  ['testpod-1', '10.244.1.69'],
  ['testpod-2', '10.244.1.90'],
  ['testpod-3', '10.244.1.229'],
] as const

/** Views of the Service's two ports. */
const VIEWS = ['testsvc-TCP-80', 'testsvc-TCP-8843']

const PATIENT = { timeout: 30_000, interval: 20 }

const ends: (() => Promise<unknown>)[] = []
let client: ApiClient
let kubeconfig: string

/** A cluster whose slices Sliceflow makes of real objects of pods. */
beforeAll(async () => {
  const cluster = await startConnectedCluster()
  ends.push(cluster.stop)
  client = cluster.client
  kubeconfig = cluster.file
  await client.create(NODES, makeNode({ name: 'node-1' }))
  const settings = parseSettings({ mode: 'replace' })
  const queues = await startEmbeddedQueues(settings)
  ends.push(() => queues.stop())
  const local = await startLocal({
    clusters: openClusters([cluster.connection], { settings, logger: SILENT_LOG }),
    ...{ queues, settings, telemetry: { logger: SILENT_LOG } },
  })
  ends.push(() => local.stop(2_000))
  await local.synced
})
afterAll(async () => {
  for (const end of ends.reverse()) await end()
})

const startPod = ([pod, address]: (typeof PODS)[number]): Promise<void> =>
  createFakePods(client).start(makePod({ namespace: NAMESPACE, name: pod, labels: { app: 'testdep' } }), [
    address,
  ])
const addresses = async (): Promise<string[]> => {
  const { items } = await client.list(ENDPOINT_SLICES, {
    namespace: NAMESPACE,
    labelSelector: `kubernetes.io/service-name=${SERVICE}`,
  })
  return items.flatMap(({ endpoints }) => (endpoints ?? []).flatMap((endpoint) => endpoint.addresses))
}

it('the walkthrough of endpoint-lists.yaml gives exactly its numbers and names', async () => {
  const [first, second, third] = PODS
  const ports = [
    { name: 'http', protocol: 'TCP', port: 80, targetPort: 80 },
    { name: 'https', protocol: 'TCP', port: 8843, targetPort: 8843 },
  ] as const
  const annotations = { 'dcontroller.io/endpointslice-controller-enabled': 'true' }
  const selector = { app: 'testdep' }
  await client.create(
    SERVICES,
    makeService({ namespace: NAMESPACE, name: SERVICE, annotations, selector, ports }),
  )
  await startPod(first)
  await startPod(second)
  await expect.poll(addresses, PATIENT).toHaveLength(2)

  const views = startViews(SPEC, kubeconfig)
  await expect.poll(() => views.count, PATIENT).toBe(VIEWS.length)
  expect(views.take().sort()).toEqual(VIEWS.map((name) => `Added ${name}`))

  await startPod(third)
  await expect.poll(() => views.count, PATIENT).toBe(VIEWS.length)
  expect(views.take().sort()).toEqual(VIEWS.map((name) => `Updated ${name}`))

  await client.delete(SERVICES, { namespace: NAMESPACE, name: SERVICE })
  await expect.poll(addresses, PATIENT).toEqual([])
  await expect.poll(() => views.count, PATIENT).toBe(VIEWS.length)
  expect(views.take().sort()).toEqual(VIEWS.map((name) => `Deleted ${name}`))
  expect(views.errors).toEqual([])
})
