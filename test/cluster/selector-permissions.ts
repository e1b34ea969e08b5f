import { beforeAll, describe, it, onTestFinished } from 'vitest'
import { ENDPOINT_SELECTOR } from '../../shared/changes/index.ts'
import { ENDPOINT_SELECTORS } from '../../shared/kubernetes/index.ts'
import { type ClusterRole, permissionsOf } from '../end-to-end/cluster-role.ts'
import { type OpenCluster, openScene, type Scene, until } from '../end-to-end/scene.ts'
import { addSelector, defineEndpointSelectors, ON } from '../end-to-end/selector-scene.ts'
import { startSliceflow } from '../end-to-end/sliceflow.ts'
import { createRawClient } from '../support/raw-client.ts'
import type { RealCluster } from './end-to-end-cluster.ts'
import { takePermission } from './taken-permission.ts'

interface SelectorPermissionsOptions {
  readonly cluster: OpenCluster
  /** Returns the same cluster, with its administrator. */
  readonly started: () => RealCluster
  /** The roles for EndpointSelectors, as the cluster has them. */
  readonly roles: readonly ClusterRole[]
  /** Makes projections of Services that are to be created, updated and deleted; default: there are none. */
  readonly project?: (scene: Scene) => Promise<void>
}

/** With Services that have selectors. */
const PROJECTING = { serviceProjection: true, mode: 'replace' } as const

/** Describes that each permission of the roles is needed, and what is said without it. */
export function describeSelectorPermissions({
  cluster,
  started,
  roles,
  project,
}: SelectorPermissionsOptions): void {
  const each = roles
    .flatMap((role) => permissionsOf(role).map((permission) => ({ role, ...permission })))
    .filter(({ group }) => group === ENDPOINT_SELECTORS.group)

  describe(`the roles for ${project ? 'projections' : 'EndpointSelectors'} are the least: it says what is missing`, () => {
    beforeAll(() => defineEndpointSelectors(cluster().client))

    it.each(each)('without $verb of $resource, and Services are published all the same', async (taken) => {
      const { role, ...permission } = taken
      const admin = createRawClient(started().admin)
      const user = createRawClient(started().user)
      onTestFinished(() => {
        admin.close()
        user.close()
      })
      await takePermission({ admin, user }, role, permission)
      const { connection, name } = cluster()
      const scene = await openScene(cluster(), { ...ON, ...(project && PROJECTING) })
      const { namespace } = scene
      await scene.addPods(['web-1'])
      await addSelector(scene)
      await scene.addService('api', { selector: { app: 'web' } })
      await project?.(scene)
      const sliceflow = await startSliceflow([connection], scene.settings)
      await until(() => scene.slices('api')).toHaveLength(1)
      // Without a list the relay sends none.
      const key = { cluster: name, namespace, service: 'web', ownerKind: ENDPOINT_SELECTOR }
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
}
