import { expect, it } from 'vitest'
import { ENDPOINTS } from '../../shared/kubernetes/index.ts'
import { MIRRORING_ROLE_FILES } from './cluster-role.ts'
import { startEmbeddedCluster } from './embedded-cluster.ts'
import { describeMirroring } from './mirroring.ts'
import { openScene, until } from './scene.ts'
import { useCluster } from './use-cluster.ts'

describeMirroring('the embedded control plane', (name) =>
  startEmbeddedCluster(name, { roleFile: MIRRORING_ROLE_FILES }),
)

const requests: string[] = []
const cluster = useCluster((name) =>
  startEmbeddedCluster(name, {
    roleFile: MIRRORING_ROLE_FILES,
    onRequest: ({ verb, resource }) => requests.push(`${verb} ${resource}`),
  }),
)

it('without the setting no Endpoints are read', async () => {
  const scene = await openScene(cluster())
  const { client, namespace } = scene
  await scene.addService('db', { selector: null })
  await client.create(ENDPOINTS, {
    metadata: { name: 'db', namespace },
    subsets: [{ addresses: [{ ip: '10.0.0.1' }] }],
  })
  await scene.addService('web')
  await scene.addPods(['web-1'])
  const sliceflow = await scene.startRight()
  await until(() => sliceflow.sent).toBeGreaterThan(0)
  await scene.patchService('db', { metadata: { labels: { team: 'shop' } } })
  await scene.patchService('web', { metadata: { labels: { team: 'shop' } } })
  await scene.untilRight()
  expect(requests).toContain('watch services')
  expect(requests.filter((request) => request.endsWith(' endpoints'))).toEqual([])
  expect(await scene.slices('db')).toEqual([])
})
