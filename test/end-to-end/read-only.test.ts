import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { checkServices } from '../../cli/commands/status/check-services.ts'
import { explainService, explainSubject } from '../../cli/explain/index.ts'
import { readInventory } from '../../cli/inventory/read-inventory.ts'
import {
  type EndpointSlice,
  type Endpoints,
  IN_TREE_CONTROLLER,
  MIRRORING_CONTROLLER,
  plan,
  planMirror,
} from '../../shared/endpointslice/index.ts'
import {
  type ApiClient,
  createApiClient,
  ENDPOINT_SLICES,
  ENDPOINTS,
  NODES,
  PODS,
  SERVICES,
} from '../../shared/kubernetes/index.ts'
import { createNodeReader } from '../../shared/reconciler/index.ts'
import { startEmbeddedCluster } from './embedded-cluster.ts'
import { openScene, openWeb, type Scene, until } from './scene.ts'
import { useCluster } from './use-cluster.ts'

/** Verbs and resources that the user asked for. */
const requests: string[] = []
const cluster = useCluster((name) =>
  startEmbeddedCluster(name, {
    roleFile: ['read-only.yaml', 'mirroring-read-only.yaml'],
    onRequest: ({ verb, resource, path }) => requests.push(`${verb} ${resource || path}`),
  }),
)

beforeEach(() => {
  requests.length = 0
  onTestFinished(() => expect(requests.filter((one) => !/^(get|list|watch) /.test(one))).toEqual([]))
})

const SHADOW = { mode: 'replace', shadow: true } as const

/** The user may only read, and no wrapper stops it from trying more. */
function openUser(): ApiClient {
  const user = createApiClient(cluster().connection)
  onTestFinished(() => user.close())
  return user
}

function readerOf({ settings }: Scene) {
  const user = openUser()
  const clusterOf = () => ({ client: user, nodes: createNodeReader(user) })
  return { user, clusterOf, settings, signal: new AbortController().signal }
}

/** Creates the slices that the in-tree controller would make. */
async function createInTreeSlices({ client, namespace }: Scene): Promise<EndpointSlice[]> {
  const service = await client.get(SERVICES, { namespace, name: 'web' })
  const { items: pods } = await client.list(PODS, { namespace })
  const { items: nodes } = await client.list(NODES)
  const { create } = plan({ service, pods, nodes, slices: [] }, { managedBy: IN_TREE_CONTROLLER })
  return Promise.all(create.map((slice) => client.create(ENDPOINT_SLICES, slice)))
}

describe('with credentials that may only read', () => {
  it('a Service, a Pod, a Node and an address are explained, and the status is read', async () => {
    const scene = await openWeb(cluster(), 2, SHADOW)
    const { namespace, nodes } = scene
    await createInTreeSlices(scene)
    const reader = readerOf(scene)
    const key = { cluster: scene.cluster, namespace, service: 'web' }

    const report = await explainService({ ...reader, key })
    expect(report?.endpoints.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['web-1', 'Pending'],
      ['web-2', 'Pending'],
    ])
    for (const subject of [
      { kind: 'Pod', name: 'web-1', namespace },
      { kind: 'Node', name: nodes[0] },
      { kind: 'Address', name: '10.1.0.0', namespace },
    ] as const) {
      const { objects, warnings } = await explainSubject({ ...reader, clusters: [scene.cluster], subject })
      expect(objects[0]).toMatchObject({ name: 'web-1', services: [{ service: 'web', outcome: 'Pending' }] })
      expect(warnings).toEqual([])
    }
    const inventory = await readInventory(reader.user, scene.settings)
    expect(inventory.doublyManaged).toContain(`${namespace}/web`)
    const check = await checkServices([key], reader)
    expect(check).toEqual({ kind: 'shadow', checked: 1, total: 1, outdated: [], failed: [] })
  })

  it('mirrored Endpoints are followed, compared, explained and counted', async () => {
    const scene = await openScene(cluster(), { mirrorEndpoints: true, shadow: true })
    const { client, namespace, settings } = scene
    await scene.addService('db', { selector: null })
    const subsets: Endpoints['subsets'] = [{ addresses: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }] }]
    const endpoints = await client.create(ENDPOINTS, { metadata: { name: 'db', namespace }, subsets })
    const service = await client.get(SERVICES, { namespace, name: 'db' })
    const { create } = planMirror({ endpoints, service, slices: [] }, { managedBy: MIRRORING_CONTROLLER })
    for (const slice of create) await client.create(ENDPOINT_SLICES, slice)

    const { log } = await scene.start()
    const name = create[0]?.metadata?.name ?? ''
    await scene.editSlice(name, { endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }] })
    await until(() => log.map((line) => JSON.stringify(line)).join()).toContain('"kinds":{"missing":1}')

    const reader = readerOf(scene)
    const key = { cluster: scene.cluster, namespace, service: 'db' }
    expect(await explainService({ ...reader, key })).toMatchObject({
      management: { state: 'Managed' },
      source: { kind: 'Endpoints' },
    })
    const inventory = await readInventory(reader.user, settings)
    expect(inventory.doublyManaged).toContain(`${namespace}/db`)
    const check = await checkServices([key], reader)
    expect(check.outdated).toMatchObject([{ key: `${namespace}/db` }])
    expect(requests).toEqual(expect.arrayContaining(['get endpoints', 'list endpoints', 'watch endpoints']))
  })
})
