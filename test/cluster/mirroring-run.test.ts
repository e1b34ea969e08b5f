import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type EndpointSlice,
  type Endpoints,
  isMirror,
  LABEL_MANAGED_BY,
  MIRRORING_CONTROLLER,
} from '../../shared/endpointslice/index.ts'
import { handWritten } from '../../shared/endpointslice/mirroring/mirroring.arbitraries.ts'
import { ENDPOINTS } from '../../shared/kubernetes/index.ts'
import { MIRRORING_ROLE_FILES, permissionsOf, readRoles } from '../end-to-end/cluster-role.ts'
import { describeMirroring } from '../end-to-end/mirroring.ts'
import { openScene } from '../end-to-end/scene.ts'
import { startSliceflow } from '../end-to-end/sliceflow.ts'
import { useCluster } from '../end-to-end/use-cluster.ts'
import { createRawClient } from '../support/raw-client.ts'
import { startControllerManager } from './controller-manager.ts'
import { type RealCluster, startRealCluster } from './end-to-end-cluster.ts'
import { mirrorContent } from './mirror-content.ts'
import { takePermission } from './taken-permission.ts'

const PATIENT = { timeout: 60_000, interval: 200 }
const OBJECTS = 12
const SEED = 1605

const start = (name: string): Promise<RealCluster> => startRealCluster(name, MIRRORING_ROLE_FILES)

describeMirroring('kube-apiserver', start)

let started: RealCluster
const cluster = useCluster(async (name) => {
  started = await start(name)
  return started
})

it('beside kube-controller-manager it mirrors the same, whatever is in the Endpoints', async () => {
  const controllers = await startControllerManager({
    kubeconfig: started.server.kubeconfig.path,
    controllers: ['endpointslice-mirroring-controller'],
  })
  onTestFinished(() => controllers.stop())
  const scene = await openScene(cluster(), { mirrorEndpoints: true })
  const { client, namespace } = scene
  await scene.start()

  const cases = fc.sample(handWritten, { seed: SEED, numRuns: OBJECTS })
  const made = cases.map(({ metadata, subsets }, index): Endpoints => {
    const name = `db-${index}`
    return { ...(subsets && { subsets }), metadata: { ...metadata, name, namespace } }
  })
  for (const endpoints of made) {
    await scene.addService(endpoints.metadata?.name ?? '', { selector: null })
    await client.create(ENDPOINTS, endpoints)
  }

  const contentOf = async (name: string, isTheirs: boolean): Promise<string[]> => {
    const isWanted = ({ metadata }: EndpointSlice): boolean =>
      (metadata?.labels?.[LABEL_MANAGED_BY] === MIRRORING_CONTROLLER) === isTheirs
    return mirrorContent((await scene.slices(name)).filter(isMirror).filter(isWanted))
  }
  let mirrored = 0
  for (const { metadata, subsets } of made) {
    const name = metadata?.name ?? ''
    // Either writes its slices one by one.
    const areAlike = async (): Promise<boolean> => {
      const [ours, theirs] = await Promise.all([contentOf(name, false), contentOf(name, true)])
      return isDeepStrictEqual(ours, theirs) && theirs.length > 0 === (subsets ?? []).length > 0
    }
    await expect.poll(areAlike, PATIENT).toBe(true)
    mirrored += (await contentOf(name, false)).length
  }
  expect(mirrored).toBeGreaterThan(OBJECTS / 2)
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
