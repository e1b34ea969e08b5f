import { describe, expect, it, onTestFinished } from 'vitest'
import { ENDPOINTS } from '../../shared/kubernetes/index.ts'
import { MIRRORING_ROLE_FILES, permissionsOf, readRoles } from '../end-to-end/cluster-role.ts'
import { describeMirroring } from '../end-to-end/mirroring.ts'
import { openScene } from '../end-to-end/scene.ts'
import { startSliceflow } from '../end-to-end/sliceflow.ts'
import { useCluster } from '../end-to-end/use-cluster.ts'
import { createRawClient } from '../support/raw-client.ts'
import { type RealCluster, startRealCluster } from './end-to-end-cluster.ts'
import { takePermission } from './taken-permission.ts'

const PATIENT = { timeout: 60_000, interval: 200 }

const start = (name: string): Promise<RealCluster> => startRealCluster(name, MIRRORING_ROLE_FILES)

describeMirroring('kube-apiserver', start)

let started: RealCluster
const cluster = useCluster(async (name) => {
  started = await start(name)
  return started
})

describe('the roles for it are the least: it says what is missing', async () => {
  const { roles } = await readRoles('mirroring.yaml')
  const each = roles.flatMap((role) => permissionsOf(role).map((permission) => ({ role, ...permission })))

  it.each(each)('without $verb of $resource', async ({ role, ...permission }) => {
    const admin = createRawClient(started.admin)
    const user = createRawClient(started.user)
    onTestFinished(() => {
      admin.close()
      user.close()
    })
    await takePermission({ admin, user }, role, permission)
    const { connection, name } = cluster()
    const scene = await openScene(cluster(), { mirrorEndpoints: true })
    const { client, namespace, settings } = scene
    await scene.addService('db', { selector: null })
    const metadata = { name: 'db', namespace }
    await client.create(ENDPOINTS, { metadata, subsets: [{ addresses: [{ ip: '10.0.0.1' }] }] })

    const sliceflow = await startSliceflow([connection], settings)
    // Without a list the relay sends none.
    await sliceflow.send('live', [{ cluster: name, namespace, service: 'db' }])
    const [, subresource] = permission.resource.split('/')
    const missing =
      subresource === undefined
        ? `cannot ${permission.verb} resource "endpoints"`
        : 'for slices that mirror Endpoints on "endpoints/finalizers"'
    const said = (): string => sliceflow.log.map(({ err, msg }) => `${msg} ${textOf(err)}`).join()
    await expect.poll(said, PATIENT).toContain(missing)
  })
})

const textOf = (error: unknown): string => (typeof error === 'string' ? error : JSON.stringify(error ?? ''))
