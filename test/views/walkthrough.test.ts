import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openClusters, startEmbeddedQueues, startLocal } from '../../cli/local/index.ts'
import { type ApiClient, ENDPOINT_SLICES, NODES, SERVICES } from '../../shared/kubernetes/index.ts'
import { parseSettings } from '../../shared/settings/index.ts'
import { SILENT_LOG } from '../../shared/telemetry/index.ts'
import { startConnectedCluster } from '../support/kubeconfig-folder.ts'
import { createFakePods, makeNode, makePod, makeService } from '../support/world/index.ts'
import { startViews } from './views-command.ts'

const NAMESPACE = 'default'
const SERVICE = 'testsvc'
const PODS = [
  ['testpod-1', '10.244.1.69'],
  ['testpod-2', '10.244.1.90'],
  ['testpod-3', '10.244.1.229'],
] as const

/**
 * Views of the Service's two ports with two pods, those that a third pod adds, and those that go with the
 * Service.
 */
const EXPECTED = {
  endpoints: {
    started: ['testsvc-43s657', 'testsvc-6kq57l', 'testsvc-8x1zl2', 'testsvc-b9p5tj'].map(added),
    scaled: ['testsvc-8zbi3v', 'testsvc-dg9n0j'].map(added),
    ended: [
      'testsvc-43s657',
      'testsvc-6kq57l',
      'testsvc-8x1zl2',
      'testsvc-8zbi3v',
      'testsvc-b9p5tj',
      'testsvc-dg9n0j',
    ].map(deleted),
  },
  'endpoint lists': {
    started: ['testsvc-TCP-80', 'testsvc-TCP-8843'].map(added),
    scaled: ['testsvc-TCP-80', 'testsvc-TCP-8843'].map((name) => `Updated ${name}`),
    ended: ['testsvc-TCP-80', 'testsvc-TCP-8843'].map(deleted),
  },
} as const

function added(name: string): string {
  return `Added ${name}`
}
function deleted(name: string): string {
  return `Deleted ${name}`
}

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

it.each([
  ['endpoints.yaml', 'endpoints'],
  ['endpoint-lists.yaml', 'endpoint lists'],
] as const)('the walkthrough of %s gives exactly its numbers and names', async (spec, form) => {
  const { started, scaled, ended } = EXPECTED[form]
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

  const views = startViews(join(import.meta.dirname, '../../examples/views', spec), kubeconfig)
  await expect.poll(() => views.count, PATIENT).toBe(started.length)
  expect(views.take().sort()).toEqual(started)

  await startPod(third)
  await expect.poll(() => views.count, PATIENT).toBe(scaled.length)
  expect(views.take().sort()).toEqual(scaled)

  await client.delete(SERVICES, { namespace: NAMESPACE, name: SERVICE })
  await expect.poll(addresses, PATIENT).toEqual([])
  await expect.poll(() => views.count, PATIENT).toBe(ended.length)
  expect(views.take().sort()).toEqual(ended)
  expect(views.errors).toEqual([])
  for (const [pod] of PODS) await createFakePods(client).finish({ namespace: NAMESPACE, name: pod })
})
