import { beforeAll, describe, it, onTestFinished } from 'vitest'
import { ENDPOINT_SELECTOR } from '../../shared/changes/index.ts'
import { permissionsOf, readRoles, SELECTOR_ROLE_FILES } from '../end-to-end/cluster-role.ts'
import { describeEndpointSelectors } from '../end-to-end/endpoint-selectors.ts'
import { openScene, until } from '../end-to-end/scene.ts'
import { addSelector, defineEndpointSelectors, ON } from '../end-to-end/selector-scene.ts'
import { startSliceflow } from '../end-to-end/sliceflow.ts'
import { useCluster } from '../end-to-end/use-cluster.ts'
import { createRawClient } from '../support/raw-client.ts'
import { type RealCluster, startRealCluster } from './end-to-end-cluster.ts'
import { takePermission } from './taken-permission.ts'

const start = (name: string): Promise<RealCluster> => startRealCluster(name, SELECTOR_ROLE_FILES)

describeEndpointSelectors('kube-apiserver', start)

let started: RealCluster
const cluster = useCluster(async (name) => {
  started = await start(name)
  return started
})

describe('the roles for EndpointSelectors are the least: it says what is missing', async () => {
  const { roles } = await readRoles('endpoint-selectors.yaml')
  const each = roles.flatMap((role) => permissionsOf(role).map((permission) => ({ role, ...permission })))
  beforeAll(() => defineEndpointSelectors(cluster().client))

  it.each(each)('without $verb of $resource, and Services are published all the same', async (taken) => {
    const { role, ...permission } = taken
    const admin = createRawClient(started.admin)
    const user = createRawClient(started.user)
    onTestFinished(() => {
      admin.close()
      user.close()
    })
    await takePermission({ admin, user }, role, permission)
    const { connection, name } = cluster()
    const scene = await openScene(cluster(), ON)
    await scene.addPods(['web-1'])
    await addSelector(scene)
    await scene.addService('api', { selector: { app: 'web' } })
    const sliceflow = await startSliceflow([connection], scene.settings)
    await until(() => scene.slices('api')).toHaveLength(1)
    // Without a list the relay sends none.
    const key = { cluster: name, namespace: scene.namespace, service: 'web', ownerKind: ENDPOINT_SELECTOR }
    await sliceflow.send('live', [key])
    const { verb, resource } = permission
    const missing = resource.includes('/')
      ? `allow the verb \\"update\\" on the resource \\"${resource}\\"`
      : `cannot ${verb} resource \\"${resource}\\"`
    const said = (): string =>
      sliceflow.log
        .map(({ err, msg }) => `${msg} ${JSON.stringify(err ?? '')}`)
        .join()
        .replaceAll('\\\\"', '\\"')
    await until(said).toContain(missing)
  })
})
