import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type ApiClient,
  type ClusterConnection,
  ENDPOINT_SLICES,
  NODES,
  SERVICES,
} from '../../shared/kubernetes/index.ts'
import { openKubeconfigs } from '../support/kubeconfig-folder.ts'
import { createFakePods, makeNode, makePod, makeService } from '../support/world/index.ts'
import { walkthroughSpecs } from './specs.ts'
import { startViews } from './views-command.ts'

export interface WalkthroughCluster {
  /** Kubeconfig text of somebody who may do everything. */
  readonly kubeconfig: string
  /** Starts whatever makes EndpointSlices of Services and their pods here; resolves to what ends it. */
  makeSlices(connection: ClusterConnection, kubeconfigPath: string): Promise<() => Promise<void>>
  stop(): Promise<void>
}

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

/**
 * Describes the walkthrough of the two EndpointSlice specs, with slices that come from real objects of pods.
 */
export function describeWalkthrough(name: string, startCluster: () => Promise<WalkthroughCluster>): void {
  describe(`the walkthrough on ${name}`, () => {
    const ends: (() => Promise<unknown>)[] = []
    let client: ApiClient
    let kubeconfig: string

    beforeAll(async () => {
      const cluster = await startCluster()
      ends.push(() => cluster.stop())
      const kubeconfigs = await openKubeconfigs()
      ends.push(() => kubeconfigs.close())
      const connected = await kubeconfigs.connect(cluster.kubeconfig)
      const { connection } = connected
      client = connected.client
      kubeconfig = connected.file
      await client.create(NODES, makeNode({ name: 'node-1' }))
      ends.push(await cluster.makeSlices(connection, kubeconfig))
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

    it.each(walkthroughSpecs())('gives with $name exactly its numbers and names', async ({ path, form }) => {
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

      const views = startViews(path, kubeconfig)
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
  })
}
