import { describe, expect, it, onTestFinished } from 'vitest'
import { checkServices } from '../../cli/commands/status/check-services.ts'
import { explainService, explainSubject } from '../../cli/explain/index.ts'
import { readInventory } from '../../cli/inventory/index.ts'
import { startRelay } from '../../functions/relay/index.ts'
import { type EndpointSlice, IN_TREE_CONTROLLER, plan } from '../../shared/endpointslice/index.ts'
import {
  type ApiClient,
  ENDPOINT_SLICES,
  NAMESPACES,
  NODES,
  PODS,
  SERVICES,
} from '../../shared/kubernetes/index.ts'
import type { QueueSender } from '../../shared/queue/index.ts'
import {
  type Compared,
  createNodeReader,
  createReconciler,
  type WallClock,
} from '../../shared/reconciler/index.ts'
import { parseSettings } from '../../shared/settings/index.ts'
import { createLogger, SILENT_LOG } from '../../shared/telemetry/index.ts'
import { openKubeconfigs } from '../support/kubeconfig-folder.ts'
import { createFakePods, makeNode, makePod, makeService } from '../support/world/index.ts'
import { startEmbeddedCluster } from './embedded-cluster.ts'

const NAMESPACE = 'shop'
const KEY = { cluster: 'a', namespace: NAMESPACE, service: 'web', messageIds: [] }
const READS = ['get', 'list', 'watch']

interface Scene {
  readonly admin: ApiClient
  /** May only read, and no wrapper stops it from trying more. */
  readonly user: ApiClient
  /** Verbs and resources that the user asked for. */
  readonly requests: string[]
}

async function openScene(): Promise<Scene> {
  const requests: string[] = []
  const cluster = await startEmbeddedCluster('a', {
    roleFile: 'read-only.yaml',
    onRequest: ({ verb, resource, path }) => requests.push(`${verb} ${resource || path}`),
  })
  onTestFinished(() => cluster.stop())
  const admin = await clientOf(cluster.admin)
  await createObjects(admin)
  return { admin, user: await clientOf(cluster.user), requests }
}

async function clientOf(kubeconfig: string): Promise<ApiClient> {
  const kubeconfigs = await openKubeconfigs()
  onTestFinished(() => kubeconfigs.close())
  return (await kubeconfigs.connect(kubeconfig)).client
}

/** Creates a Service and pods, of which a reconcile would make slices. */
async function createObjects(admin: ApiClient): Promise<void> {
  await admin.create(NAMESPACES, { metadata: { name: NAMESPACE } })
  await admin.create(NODES, makeNode({ name: 'node-1' }))
  await admin.create(SERVICES, makeService({ namespace: NAMESPACE, name: 'web' }))
  const pods = createFakePods(admin)
  for (const [index, name] of ['web-1', 'web-2'].entries())
    await pods.start(makePod({ namespace: NAMESPACE, name }), [`10.1.0.${index + 1}`])
}

/** Creates the slices that the in-tree controller would make. */
async function createInTreeSlices(admin: ApiClient): Promise<EndpointSlice[]> {
  const service = await admin.get(SERVICES, { namespace: NAMESPACE, name: 'web' })
  const { items: pods } = await admin.list(PODS)
  const { items: nodes } = await admin.list(NODES)
  const { create } = plan({ service, pods, nodes, slices: [] }, { managedBy: IN_TREE_CONTROLLER })
  return Promise.all(create.map((slice) => admin.create(ENDPOINT_SLICES, slice)))
}

/** Returns a clock that never waits, as the cluster does not change by itself. */
function impatientClock(): WallClock {
  let now = Date.now()
  return {
    now: () => now,
    async pause(ms) {
      now += ms
    },
  }
}

describe('with credentials that may only read', () => {
  it('a shadow compares, reports what differs and what is over, and asks for no write', async () => {
    const { admin, user, requests } = await openScene()
    const results: Compared['result'][] = []
    const log: string[] = []
    const reconcile = createReconciler({
      clientOf: () => user,
      settings: parseSettings({ mode: 'replace', shadow: true }),
      logger: createLogger({ write: (line) => void log.push(line) }),
      clock: impatientClock(),
      onCompared: ({ result }) => void results.push(result),
    })
    const sync = () =>
      reconcile(KEY, {
        signal: new AbortController().signal,
        receiveCount: 1,
        sentTimestamp: Number.MAX_SAFE_INTEGER,
      })

    await sync()
    const [slice] = await createInTreeSlices(admin)
    await sync()
    const name = slice?.metadata?.name ?? ''
    const [first, ...others] = slice?.endpoints ?? []
    const wrong = { endpoints: [{ ...first, conditions: { ready: false } }, ...others] }
    await admin.patch(ENDPOINT_SLICES, { namespace: NAMESPACE, name }, wrong)
    await sync()
    await admin.delete(SERVICES, { namespace: NAMESPACE, name: 'web' })
    await sync()

    expect(results).toEqual(['different', 'same', 'different', 'unmanaged'])
    expect(log.join('')).toContain('"kinds":{"missing":2}')
    expect(log.join('')).toContain('"kinds":{"conditions":1}')
    expect(log.join('')).toContain('no longer differs')
    expect(requests.filter((request) => !READS.includes(request.split(' ')[0] ?? ''))).toEqual([])
    expect(requests).toContain('list endpointslices')
  })

  it('a shadow’s relay follows the slices of every manager', async () => {
    const { admin, user, requests } = await openScene()
    const sent: string[] = []
    const send: QueueSender['send'] = async (messages) => {
      // The server has a Service of its own, `default/kubernetes`.
      sent.push(...messages.flatMap(({ namespace, service }) => (namespace === NAMESPACE ? [service] : [])))
      return { accepted: messages, rejected: [], unsent: [] }
    }
    const relay = startRelay({
      clients: [user],
      settings: parseSettings({ mode: 'replace', shadow: true, coalescingWindow: 0 }),
      senders: { live: { send }, sweep: { send } },
      telemetry: { logger: SILENT_LOG },
    })
    onTestFinished(async () => void (await relay.stop(AbortSignal.timeout(1_000))))
    await relay.synced
    await expect.poll(() => sent.splice(0)).toEqual(['web'])

    await createInTreeSlices(admin)

    await expect.poll(() => sent).toContain('web')
    expect(requests.filter((request) => !READS.includes(request.split(' ')[0] ?? ''))).toEqual([])
  })

  it('a Service, a Pod, a Node and an address are explained, and the status is read, in the same way', async () => {
    const { admin, user, requests } = await openScene()
    await createInTreeSlices(admin)
    const settings = parseSettings({ mode: 'replace', shadow: true })
    const clusterOf = () => ({ client: user, nodes: createNodeReader(user) })
    const { signal } = new AbortController()

    const report = await explainService({ clusterOf, key: KEY, settings, signal })
    const asked = { clusters: ['a'], clusterOf, settings, signal }
    const pod = await explainSubject({ ...asked, subject: { kind: 'Pod', name: 'web-1' } })
    const node = await explainSubject({ ...asked, subject: { kind: 'Node', name: 'node-1' } })
    const address = await explainSubject({ ...asked, subject: { kind: 'Address', name: '10.1.0.1' } })
    const inventory = await readInventory(user, settings)
    const check = await checkServices(inventory.keys, { clusterOf, settings, signal })

    expect(report?.endpoints.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['web-1', 'Pending'],
      ['web-2', 'Pending'],
    ])
    for (const { objects, warnings } of [pod, node, address]) {
      expect(objects[0]).toMatchObject({ name: 'web-1', services: [{ service: 'web', outcome: 'Pending' }] })
      expect(warnings).toEqual([])
    }
    expect(inventory).toMatchObject({ services: 1, slices: 0, doublyManaged: [`${NAMESPACE}/web`] })
    expect(check).toEqual({ kind: 'shadow', checked: 1, total: 1, outdated: [], failed: [] })
    expect(requests.filter((request) => !READS.includes(request.split(' ')[0] ?? ''))).toEqual([])
  })
})
