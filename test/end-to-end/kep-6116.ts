import { beforeAll, describe, expect, it } from 'vitest'
import { ENDPOINT_SELECTOR } from '../../shared/changes/index.ts'
import { type EndpointSlice, LABEL_HEADLESS } from '../../shared/endpointslice/index.ts'
import { NAMESPACES, NotFoundError, SERVICES } from '../../shared/kubernetes/index.ts'
import type { StartCluster } from './cluster.ts'
import { describeProjection } from './kep-6116-projection.ts'
import { type Actions, actionsOn, describeMetadata, describeSelection } from './kep-6116-slices.ts'
import { type OpenCluster, openScene, openWeb, until } from './scene.ts'
import * as selectors from './selector-scene.ts'
import {
  defineEndpointSelectors,
  MATCHES_WEB,
  ON,
  podsOf,
  type SelectorApi,
  slicesOf,
  untilServicesAreRight,
} from './selector-scene.ts'
import { useCluster } from './use-cluster.ts'

interface UpstreamSuiteOptions {
  readonly startCluster: StartCluster
  /** The API of the EndpointSelectors; default: ours. */
  readonly api?: SelectorApi
  /**
   * Starts the garbage collector and the controller of namespaces until the test ends; default: the cluster
   * has them.
   */
  readonly startControllers?: () => Promise<void>
}

/**
 * Describes the rows of KEP-6116's test plan, each by its number and words there, on any API server that
 * serves definitions. Its rows on gates are on our setting, and on servers without the definition. Those on
 * the projection of Services are on our API alone: on an API server's own, the in-tree controller does it.
 * So are those on Pods in slices and on servers without the definition: the group of the kind decides
 * nothing there.
 * Tests without a number are on what the plan does not name.
 */
export function describeKep6116(
  name: string,
  { startCluster, api, startControllers }: UpstreamSuiteOptions,
): void {
  describe(`the test plan of KEP-6116 on ${name}`, () => {
    describe('with the kind served', () => {
      const cluster = useCluster(startCluster)
      const actions = actionsOn(cluster, api)
      beforeAll(() => defineEndpointSelectors(cluster().client, api))

      describeMetadata(actions)
      describeEnds(cluster, actions, startControllers)
      describeGate(actions)
      if (api !== undefined) return
      describeSelection(actions)
      describeProjection(cluster)
    })
    if (api === undefined) describeUnserved(useCluster(startCluster))
  })
}

const ownersOf = (slices: readonly EndpointSlice[]): string[] =>
  slices.flatMap(({ metadata }) => metadata?.ownerReferences ?? []).map(({ uid }) => uid)

function describeEnds(
  cluster: OpenCluster,
  { api, published, add, remove }: Actions,
  startControllers?: () => Promise<void>,
): void {
  it('9, 27: it is deleted, all of its slices are collected', async () => {
    const scene = await published({ maxEndpointsPerSlice: 1 })
    await until(() => slicesOf(scene)).toHaveLength(2)
    await remove(scene)
    await until(() => scene.slices()).toEqual([])
  })

  it('one of the same name that is made again has slices of its own', async () => {
    const scene = await published()
    const [before] = await slicesOf(scene)
    await remove(scene)
    const { metadata } = await add(scene)
    await until(async () => ownersOf(await slicesOf(scene))).toEqual([metadata?.uid])
    await until(() => podsOf(scene)).toEqual(['web-1', 'web-2'])
    expect((await slicesOf(scene))[0]?.metadata?.uid).not.toBe(before?.metadata?.uid)
  })

  it('38: its owner is deleted, it goes with it, and so do its slices', async () => {
    await startControllers?.()
    const scene = await published()
    const { client, namespace } = scene
    await scene.addService('pool', { selector: null })
    const { metadata } = await client.get(SERVICES, { namespace, name: 'pool' })
    const owner = { apiVersion: 'v1', kind: 'Service', name: 'pool', uid: metadata?.uid ?? '' }
    await add(scene, MATCHES_WEB, { name: 'owned', ownerReferences: [{ ...owner, controller: true }] })
    await until(() => podsOf(scene, 'owned')).toEqual(['web-1', 'web-2'])
    await scene.removeService('pool')
    const isGone = (error: unknown): boolean => error instanceof NotFoundError
    await until(() => client.get(api, { namespace, name: 'owned' }).catch(isGone)).toBe(true)
    await until(() => slicesOf(scene, 'owned')).toEqual([])
    expect(await podsOf(scene)).toEqual(['web-1', 'web-2'])
  })

  it('its namespace is deleted, and its slices with it, which fails no key', async () => {
    await startControllers?.()
    const scene = await openScene(cluster(), ON)
    const { client, namespace } = scene
    await scene.addPods(['web-1', 'web-2'])
    for (const name of ['web', 'all']) await add(scene, MATCHES_WEB, { name })
    const sliceflow = await scene.start()
    await until(() => podsOf(scene)).toEqual(['web-1', 'web-2'])
    await until(() => podsOf(scene, 'all')).toEqual(['web-1', 'web-2'])
    await client.delete(NAMESPACES, { name: namespace })
    // Pods go first, which takes a kubelet.
    for (const name of ['web-1', 'web-2']) await scene.pods.finish({ namespace, name })
    const isGone = (error: unknown): boolean => error instanceof NotFoundError
    await until(() => client.get(NAMESPACES, { name: namespace }).catch(isGone)).toBe(true)
    await until(() => scene.slices()).toEqual([])
    const key = { cluster: scene.cluster, namespace, service: 'web', ownerKind: ENDPOINT_SELECTOR }
    await sliceflow.send('live', [key])
    await until(() => sliceflow.outcomes.filter((one) => one.key.service === 'web').length).toBeGreaterThan(1)
    expect(sliceflow.log.filter(({ level }) => level === 'error')).toEqual([])
    expect(await sliceflow.deadLetters()).toBe(0)
  })
}

function describeGate({ open, add }: Actions): void {
  it('24, 33, 35: turned off its slices grow stale, on again they are current, with drift mended', async () => {
    const scene = await open()
    await scene.addPods(['web-1', 'web-2'])
    await add(scene)
    await scene.addService('api', { selector: { app: 'web' } })
    const first = await scene.start()
    await until(() => podsOf(scene)).toEqual(['web-1', 'web-2'])
    await first.stop()
    const off = await scene.start({ endpointSelectors: false })
    await add(scene, MATCHES_WEB, { name: 'new' })
    await scene.addPods(['web-3'])
    await scene.pods.finish({ namespace: scene.namespace, name: 'web-1' })
    await untilServicesAreRight(scene)
    expect(await podsOf(scene)).toEqual(['web-1', 'web-2'])
    expect(await slicesOf(scene, 'new')).toEqual([])
    const [slice] = await slicesOf(scene)
    await scene.editSlice(slice?.metadata?.name ?? '', {
      metadata: { labels: { [LABEL_HEADLESS]: 'edited' } },
    })
    await off.stop()
    await scene.start()
    await until(() => podsOf(scene)).toEqual(['web-2', 'web-3'])
    await until(() => podsOf(scene, 'new')).toEqual(['web-2', 'web-3'])
    const labels = async () =>
      (await slicesOf(scene)).map(({ metadata }) => metadata?.labels?.[LABEL_HEADLESS])
    await until(labels).toEqual([''])
  })
}

/** @param cluster where the kind is not defined before the test */
function describeUnserved(cluster: OpenCluster): void {
  it('23, 31, 32: not served, an object is refused, slices of Services are current, and it is found once it is served', async () => {
    const scene = await openWeb(cluster(), 1, ON)
    await scene.startRight()
    await expect(selectors.addSelector(scene, MATCHES_WEB)).rejects.toMatchObject({ code: 404 })
    await scene.pods.setReady({ namespace: scene.namespace, name: 'web-1' }, false)
    await scene.untilRight()
    await defineEndpointSelectors(cluster().client)
    await selectors.addSelector(scene, MATCHES_WEB)
    await until(() => podsOf(scene)).toEqual(['web-1'])
    await untilServicesAreRight(scene)
  })
}
