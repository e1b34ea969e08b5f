import { expect, it } from 'vitest'
import { type EndpointSelector, LABEL_ENDPOINT_SELECTOR_NAME } from '../../shared/endpointslice/index.ts'
import { ENDPOINT_SELECTORS, EVENTS, NotFoundError, SERVICES } from '../../shared/kubernetes/index.ts'
import { type OpenCluster, openScene, openWeb, type Scene, until } from './scene.ts'
import { addSelector, MATCHES_WEB, podsOf, untilServicesAreRight } from './selector-scene.ts'

const ON = { endpointSelectors: true, serviceProjection: true, mode: 'replace' } as const

const selectorOf = ({ client, namespace }: Scene, name = 'web'): Promise<EndpointSelector | undefined> =>
  client.get(ENDPOINT_SELECTORS, { namespace, name }).catch((error: unknown) => {
    if (error instanceof NotFoundError) return undefined
    throw error
  })
const specOf = async (scene: Scene): Promise<unknown> => (await selectorOf(scene))?.spec
const uidOf = async ({ client, namespace }: Scene): Promise<string | undefined> =>
  (await client.get(SERVICES, { namespace, name: 'web' })).metadata?.uid

/** Lists the slices that name an EndpointSelector, which those of a projection would. */
const slicesOfSelectors = async (scene: Scene) =>
  (await scene.slices()).filter(
    ({ metadata }) => metadata?.labels?.[LABEL_ENDPOINT_SELECTOR_NAME] !== undefined,
  )

/** Opens a scene with a Service `web` of two Pods, and a Sliceflow that projects it. */
async function openProjected(cluster: OpenCluster): Promise<Scene> {
  const scene = await openWeb(cluster(), 2, ON)
  await scene.start()
  await until(() => specOf(scene)).toMatchObject(MATCHES_WEB)
  return scene
}

const reasons = async ({ client, namespace }: Scene): Promise<(string | undefined)[]> =>
  (await client.list(EVENTS, { namespace })).items
    .filter(({ involvedObject }) => involvedObject?.kind === 'Service')
    .map(({ reason, message }) => `${reason}: ${message}`)

/**
 * Describes the rows of KEP-6116's test plan on the projection of Services, and what our setting for it does.
 */
export function describeProjection(cluster: OpenCluster): void {
  it('15, 28, 37: a Service with a selector, a projection that it owns, and no slices beside its own', async () => {
    const scene = await openProjected(cluster)
    expect((await selectorOf(scene))?.metadata?.ownerReferences).toMatchObject([
      { apiVersion: 'v1', kind: 'Service', name: 'web', uid: await uidOf(scene), controller: true },
    ])
    await scene.addPods(['web-3'])
    await untilServicesAreRight(scene)
    expect(await slicesOfSelectors(scene)).toEqual([])
  })

  it('17: the selector of the Service changes, and the projection with it; removed, it is gone', async () => {
    const scene = await openProjected(cluster)
    await scene.patchService('web', { spec: { selector: { app: null, tier: 'front' } } })
    await until(() => specOf(scene)).toMatchObject({ selector: { matchLabels: { tier: 'front' } } })
    expect((await selectorOf(scene))?.spec.selector.matchLabels).toEqual({ tier: 'front' })
    await scene.patchService('web', { spec: { selector: null } })
    await until(() => selectorOf(scene)).toBeUndefined()
  })

  it('18, 29: fields are edited, restored', async () => {
    const scene = await openProjected(cluster)
    const { client, namespace } = scene
    const before = await specOf(scene)
    const edited = { selector: { matchLabels: { app: 'api' } }, ipFamilies: ['IPv6'], ports: null }
    await client.patch(ENDPOINT_SELECTORS, { namespace, name: 'web' }, { spec: edited })
    await until(() => specOf(scene)).toEqual(before)
    await client.delete(ENDPOINT_SELECTORS, { namespace, name: 'web' })
    await until(() => specOf(scene)).toEqual(before)
  })

  it('19, 34: one of the same name without the reference, untouched, an Event, slices of the Service current', async () => {
    const scene = await openScene(cluster(), ON)
    const { client, namespace } = scene
    await scene.addPods(['web-1'])
    const theirs = await addSelector(scene, MATCHES_WEB)
    await scene.start()
    await scene.addService('web')
    await until(() => reasons(scene)).toContainEqual(
      expect.stringMatching(/^ProjectionConflict: the EndpointSelector .*\/web .* stays as it is/),
    )
    expect(await selectorOf(scene)).toMatchObject({
      spec: theirs.spec,
      metadata: { resourceVersion: theirs.metadata?.resourceVersion },
    })
    // It is an EndpointSelector like any other.
    await until(() => podsOf(scene)).toEqual(['web-1'])
    await scene.addPods(['web-2'])
    await untilServicesAreRight(scene)
    await client.delete(ENDPOINT_SELECTORS, { namespace, name: 'web' })
    const uid = await uidOf(scene)
    await until(async () => (await selectorOf(scene))?.metadata?.ownerReferences?.[0]?.uid).toBe(uid)
    await until(() => slicesOfSelectors(scene)).toEqual([])
  })

  it('22, 30: the Service is deleted, and its projection and slices go', async () => {
    const scene = await openProjected(cluster)
    await scene.removeService('web')
    await until(() => selectorOf(scene)).toBeUndefined()
    await until(() => scene.slices()).toEqual([])
  })

  it('what happened while nothing ran is found at the start', async () => {
    const scene = await openScene(cluster(), ON)
    for (const name of ['web', 'gone', 'edited']) await scene.addService(name)
    const first = await scene.start()
    for (const name of ['web', 'gone', 'edited']) await until(() => selectorOf(scene, name)).toBeDefined()
    await first.stop()
    const { client, namespace } = scene
    await scene.patchService('gone', { spec: { selector: null } })
    await client.patch(ENDPOINT_SELECTORS, { namespace, name: 'edited' }, { spec: { ipFamilies: null } })
    await client.delete(ENDPOINT_SELECTORS, { namespace, name: 'web' })
    await scene.addService('new')
    await scene.start()
    await until(() => selectorOf(scene, 'gone')).toBeUndefined()
    await until(async () => (await selectorOf(scene, 'edited'))?.spec.ipFamilies).toBeDefined()
    for (const name of ['web', 'new']) await until(() => selectorOf(scene, name)).toBeDefined()
  })
}
