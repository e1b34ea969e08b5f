import { expect } from 'vitest'
import { LABEL_MANAGED_BY, projectionOf } from '../../shared/endpointslice/index.ts'
import { ENDPOINT_SELECTORS, SERVICES } from '../../shared/kubernetes/index.ts'
import { PROJECTION_ROLE_FILES, readRoles, SELECTOR_ROLE_FILES } from '../end-to-end/cluster-role.ts'
import { describeEndpointSelectors } from '../end-to-end/endpoint-selectors.ts'
import { describeKep6116 } from '../end-to-end/kep-6116.ts'
import { useCluster } from '../end-to-end/use-cluster.ts'
import { type RealCluster, startRealCluster } from './end-to-end-cluster.ts'
import { notedCluster, startCollectors } from './selector-clusters.ts'
import { describeSelectorPermissions } from './selector-permissions.ts'

const start = (name: string): Promise<RealCluster> => startRealCluster(name, SELECTOR_ROLE_FILES)

const planned = notedCluster((name) => startRealCluster(name, PROJECTION_ROLE_FILES))
describeKep6116('kube-apiserver', {
  startCluster: planned.start,
  startControllers: () => startCollectors(planned.current()),
})

describeEndpointSelectors('kube-apiserver', start)

const restricted = notedCluster(start)
describeSelectorPermissions({
  cluster: useCluster(restricted.start),
  started: restricted.current,
  roles: (await readRoles('endpoint-selectors.yaml')).roles,
})

const projecting = notedCluster((name) => startRealCluster(name, PROJECTION_ROLE_FILES))
describeSelectorPermissions({
  cluster: useCluster(projecting.start),
  started: projecting.current,
  roles: (await readRoles('service-projection.yaml')).roles,
  // The scene has a Service to create one for.
  async project(scene) {
    const { client, namespace, settings } = scene
    for (const name of ['edited', 'left']) {
      await scene.addService(name)
      const service = await client.get(SERVICES, { namespace, name })
      const { metadata, spec } = projectionOf(service) ?? expect.fail('it has a selector')
      const labels = { [LABEL_MANAGED_BY]: settings.managedBy }
      await client.create(ENDPOINT_SELECTORS, { metadata: { ...metadata, labels }, spec })
    }
    await client.patch(ENDPOINT_SELECTORS, { namespace, name: 'edited' }, { spec: { ipFamilies: null } })
    await scene.patchService('left', { spec: { selector: null } })
  },
})
