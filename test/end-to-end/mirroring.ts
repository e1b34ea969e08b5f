import { describe, expect, it } from 'vitest'
import { isSealed } from '../../shared/changes/index.ts'
import { type EndpointSlice, type Endpoints, LABEL_SKIP_MIRROR } from '../../shared/endpointslice/index.ts'
import { ENDPOINTS } from '../../shared/kubernetes/index.ts'
import type { StartCluster } from './cluster.ts'
import { type OpenCluster, openScene, type Scene, until } from './scene.ts'
import { useCluster } from './use-cluster.ts'

const ON = { mirrorEndpoints: true } as const
const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity'
const PORTS = [{ name: 'http', port: 80, protocol: 'TCP' }]

const subsetsOf = (...ips: string[]): Endpoints['subsets'] => [
  { addresses: ips.map((ip) => ({ ip })), ports: PORTS },
]

/** Writes Endpoints as a person does, for the Service `db`. */
const writeEndpoints = ({ client, namespace }: Scene, ...ips: string[]): Promise<Endpoints> =>
  client.create(ENDPOINTS, { metadata: { name: 'db', namespace }, subsets: subsetsOf(...ips) })
const patchEndpoints = ({ client, namespace }: Scene, patch: unknown): Promise<Endpoints> =>
  client.patch(ENDPOINTS, { namespace, name: 'db' }, patch)
const removeEndpoints = ({ client, namespace }: Scene): Promise<void> =>
  client.delete(ENDPOINTS, { namespace, name: 'db' })

const addressesIn = (slices: readonly EndpointSlice[]): string[] =>
  slices.flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses)).sort()
const published = async (scene: Scene): Promise<string[]> => addressesIn(await scene.slices('db'))

/** Opens a scene with a Service `db` without a selector whose Endpoints are mirrored. */
async function openMirrored(cluster: OpenCluster, mode: string): Promise<Scene> {
  const scene = await openScene(cluster(), { ...ON, mode })
  await scene.addService('db', { selector: null })
  await writeEndpoints(scene, '10.0.0.1', '10.0.0.2')
  return scene
}

/** Describes Endpoints that are mirrored, on any API server. The user has the roles for it and no more. */
export function describeMirroring(name: string, startCluster: StartCluster): void {
  describe(`Endpoints that are mirrored on ${name}`, () => {
    const cluster = useCluster(startCluster)

    it('have a slice that follows them and is mended, with their labels, and no second sync of our own writes', async () => {
      const scene = await openMirrored(cluster, 'custom')
      const { outcomes } = await scene.start()
      const syncs = () => outcomes.filter(({ key }) => key.service === 'db').length
      await until(() => published(scene)).toEqual(['10.0.0.1', '10.0.0.2'])
      await until(syncs).toBe(1)
      const [slice] = await scene.slices('db')
      await scene.editSlice(slice?.metadata?.name ?? '', { endpoints: [] })
      await until(() => published(scene)).toEqual(['10.0.0.1', '10.0.0.2'])
      await until(syncs).toBe(2)

      const annotations = { [OVER_CAPACITY]: 'truncated' }
      await patchEndpoints(scene, {
        metadata: { labels: { team: 'shop' }, annotations },
        subsets: subsetsOf('10.0.0.3'),
      })
      await until(() => published(scene)).toEqual(['10.0.0.3'])
      await scene.addService('later')
      await until(() => scene.slices('later')).toHaveLength(1)
      expect(syncs()).toBe(3)
      const [followed] = await scene.slices('db')
      expect(followed?.metadata).toMatchObject({
        labels: { team: 'shop' },
        annotations,
        ownerReferences: [{ kind: 'Endpoints', name: 'db', blockOwnerDeletion: true }],
      })
      expect(followed && isSealed(followed)).toBe(true)
    })

    it('may be written before their Service, and have no slice once a label opts out or they are deleted', async () => {
      const scene = await openScene(cluster(), { ...ON, mode: 'replace' })
      await writeEndpoints(scene, '10.0.0.1')
      await scene.start()
      await scene.addService('db', { selector: null })
      await until(() => published(scene)).toEqual(['10.0.0.1'])
      const label = (value: string | null) =>
        patchEndpoints(scene, { metadata: { labels: { [LABEL_SKIP_MIRROR]: value } } })
      await label('true')
      await until(() => scene.slices('db')).toEqual([])
      await label(null)
      await until(() => published(scene)).toEqual(['10.0.0.1'])
      await removeEndpoints(scene)
      await until(() => scene.slices('db')).toEqual([])
    })

    it('have a right slice after a start, whatever happened while Sliceflow was down', async () => {
      const scene = await openMirrored(cluster, 'replace')
      const first = await scene.start()
      await until(() => published(scene)).toHaveLength(2)
      await first.stop()

      await patchEndpoints(scene, { subsets: subsetsOf('10.0.0.7') })
      const second = await scene.start()
      await until(() => published(scene)).toEqual(['10.0.0.7'])
      await second.stop()

      await removeEndpoints(scene)
      await scene.start()
      await until(() => scene.slices('db')).toEqual([])
    })
  })
}
