import { beforeAll, expect, it, vi } from 'vitest'
import { describeService, explainService } from '../../cli/explain/index.ts'
import { readInventory } from '../../cli/inventory/read-inventory.ts'
import { parseOwner } from '../../cli/options/subject.ts'
import { customResourceDefinition } from '../../shared/crds/index.ts'
import type { EndpointSlice } from '../../shared/endpointslice/index.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../shared/fleet/crds.fixtures.ts'
import { createNodeReader } from '../../shared/reconciler/index.ts'
import { SELECTOR_ROLE_FILES } from '../end-to-end/cluster-role.ts'
import { startEmbeddedCluster } from '../end-to-end/embedded-cluster.ts'
import { openScene, type Scene, until } from '../end-to-end/scene.ts'
import { useCluster } from '../end-to-end/use-cluster.ts'
import { BACKEND_POOL_OWNER, BACKEND_POOLS, type BackendPool } from './backend-pool.ts'

/** The lists with one entry more each, which is all that a new kind of owners changes of what exists. */
vi.mock(import('../../shared/changes/owners/other-owners.ts'), async (original) => {
  const { BACKEND_POOL } = await import('./backend-pool.ts')
  return { OTHER_OWNERS: [...(await original()).OTHER_OWNERS, BACKEND_POOL] }
})
vi.mock(import('../../shared/endpointslice/owners.ts'), async (original) => {
  const actual = await original()
  const { BACKEND_POOL_OWNER } = await import('./backend-pool.ts')
  return { ...actual, OWNERS: [...actual.OWNERS, BACKEND_POOL_OWNER] }
})

const ON = { endpointSelectors: true } as const
const KEY = { service: 'web', ownerKind: 'BackendPool' }

const roleFile = [...SELECTOR_ROLE_FILES, '../../test/extensions/backend-pools.yaml']
const open = useCluster((name) => startEmbeddedCluster(name, { crds: true, roleFile }))

beforeAll(async () => {
  const spec = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const
  const schema = { type: 'object', properties: { spec } } as const
  const definition = customResourceDefinition({ resource: BACKEND_POOLS, versions: ['v1'], schema })
  const { client } = open()
  await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition)
  await vi.waitFor(() => client.list(BACKEND_POOLS), { timeout: 45_000 })
})

const addPool = ({ client, namespace }: Scene): Promise<BackendPool> =>
  client.create(BACKEND_POOLS, {
    metadata: { name: 'web', namespace },
    spec: { labels: { app: 'web' }, port: 8080 },
  })

const slicesOf = async (scene: Scene): Promise<readonly EndpointSlice[]> =>
  (await scene.slices()).filter((slice) => BACKEND_POOL_OWNER.nameOf(slice) === 'web')

const podsOf = async (scene: Scene): Promise<unknown> =>
  (await slicesOf(scene)).flatMap(({ endpoints }) => endpoints ?? []).map(({ targetRef }) => targetRef?.name)

it('has slices: what changes is a key, the key a slice with its label and reference, and it goes with it', async () => {
  const scene = await openScene(open(), ON)
  await scene.addPods(['web-1'])
  const sliceflow = await scene.start()
  const { metadata: { uid = '' } = {} } = await addPool(scene)
  await until(() => podsOf(scene)).toEqual(['web-1'])
  const [slice] = await slicesOf(scene)
  expect(slice?.metadata?.ownerReferences).toMatchObject([{ kind: 'BackendPool', name: 'web', uid }])
  expect(slice?.ports).toMatchObject([{ port: 8080 }])
  await scene.addPods(['web-2'])
  await until(async () => (await podsOf(scene)) as string[]).toHaveLength(2)
  await scene.client.delete(BACKEND_POOLS, { namespace: scene.namespace, name: 'web' })
  await until(() => slicesOf(scene)).toEqual([])
  expect(sliceflow.log.filter(({ level }) => level === 'error')).toEqual([])
})

it('is counted, explained and named on the command line', async () => {
  const scene = await openScene(open(), ON)
  await scene.addPods(['web-1'])
  await addPool(scene)
  await scene.start()
  await until(() => podsOf(scene)).toEqual(['web-1'])
  const { client, cluster, namespace, settings } = scene
  const key = { ...KEY, cluster, namespace }
  const { keys, orphans } = await readInventory(client, settings, namespace)
  expect({ keys, orphans }).toEqual({ keys: [key], orphans: [] })
  const report = await explainService({
    clusterOf: () => ({ client, nodes: createNodeReader(client) }),
    key,
    settings,
    signal: AbortSignal.timeout(30_000),
  })
  expect(report && describeService(report, Date.now())).toContain(`BackendPool:  ${namespace}/web`)
  expect(parseOwner('backendpool/shop/web')).toMatchObject({ name: 'web', ownerKind: 'BackendPool' })
})
