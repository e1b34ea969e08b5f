import { expect, it } from 'vitest'
import { checkServices } from '../../cli/commands/status/check-services.ts'
import { explainService } from '../../cli/explain/index.ts'
import { readInventory } from '../../cli/inventory/index.ts'
import { type Endpoints, MIRRORING_CONTROLLER, planMirror } from '../../shared/endpointslice/index.ts'
import { createApiClient, ENDPOINT_SLICES, ENDPOINTS, SERVICES } from '../../shared/kubernetes/index.ts'
import { createNodeReader } from '../../shared/reconciler/index.ts'
import { startEmbeddedCluster } from './embedded-cluster.ts'
import { openScene, until } from './scene.ts'
import { useCluster } from './use-cluster.ts'

const verbs: string[] = []
const cluster = useCluster((name) =>
  startEmbeddedCluster(name, {
    roleFile: ['read-only.yaml', 'mirroring-read-only.yaml'],
    onRequest: ({ verb, resource }) => verbs.push(`${verb} ${resource}`),
  }),
)

it('with credentials that may only read, mirrored Endpoints are compared, explained and counted', async () => {
  const scene = await openScene(cluster(), { mirrorEndpoints: true, shadow: true })
  const { client: admin, namespace, settings } = scene
  await scene.addService('db', { selector: null })
  const subsets: Endpoints['subsets'] = [{ addresses: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }] }]
  const endpoints = await admin.create(ENDPOINTS, { metadata: { name: 'db', namespace }, subsets })
  const service = await admin.get(SERVICES, { namespace, name: 'db' })
  const { create } = planMirror({ endpoints, service, slices: [] }, { managedBy: MIRRORING_CONTROLLER })
  for (const slice of create) await admin.create(ENDPOINT_SLICES, slice)

  const { log } = await scene.start()
  const name = create[0]?.metadata?.name ?? ''
  await scene.editSlice(name, { endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }] })
  await until(() => log.map((line) => JSON.stringify(line)).join()).toContain('"kinds":{"missing":1}')

  const user = createApiClient(cluster().connection)
  const clusterOf = () => ({ client: user, nodes: createNodeReader(user) })
  const { signal } = new AbortController()
  const key = { cluster: scene.cluster, namespace, service: 'db' }
  const report = await explainService({ clusterOf, key, settings, signal })
  expect(report).toMatchObject({ management: { state: 'Managed' }, source: { kind: 'Endpoints' } })
  const inventory = await readInventory(user, settings)
  expect(inventory).toMatchObject({ services: 1, doublyManaged: [`${namespace}/db`] })
  const check = await checkServices(inventory.keys, { clusterOf, settings, signal })
  expect(check.outdated).toMatchObject([{ key: `${namespace}/db` }])
  user.close()
  expect(verbs.filter((verb) => !/^(get|list|watch) /.test(verb))).toEqual([])
  expect(new Set(verbs)).toEqual(
    new Set(verbs).union(new Set(['get endpoints', 'list endpoints', 'watch endpoints'])),
  )
})
