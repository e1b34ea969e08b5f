import { expect, it } from 'vitest'
import { isSealed } from '../../shared/changes/index.ts'
import {
  LABEL_ENDPOINT_SELECTOR_NAME,
  LABEL_HEADLESS,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
} from '../../shared/endpointslice/index.ts'
import { apiVersionOf, ENDPOINT_SELECTORS } from '../../shared/kubernetes/index.ts'
import { type OpenCluster, openScene, type Scene, until } from './scene.ts'
import * as selectors from './selector-scene.ts'
import { endpointsOf, ON, podsOf, type SelectorApi, slicesOf } from './selector-scene.ts'

/** What people do with EndpointSelectors of one API. */
export interface Actions {
  readonly api: SelectorApi
  /** Opens a scene where nothing runs yet. */
  open(): Promise<Scene>
  /** Opens a scene where `web-1` and `web-2` are published by an EndpointSelector `web`. */
  published(options?: Omit<NonNullable<Parameters<typeof selectors.openPublished>[1]>, 'api'>): Promise<Scene>
  add(
    scene: Scene,
    spec?: selectors.Spec,
    metadata?: Parameters<typeof selectors.addSelector>[2],
  ): Promise<Selector>
  patch(scene: Scene, patch: unknown): Promise<unknown>
  remove(scene: Scene): Promise<void>
}
type Selector = Awaited<ReturnType<typeof selectors.addSelector>>

export const actionsOn = (cluster: OpenCluster, api: SelectorApi = ENDPOINT_SELECTORS): Actions => ({
  api,
  open: () => openScene(cluster(), ON),
  published: (options = {}) => selectors.openPublished(cluster, { ...options, api }),
  add: (scene, spec, metadata) => selectors.addSelector(scene, spec, metadata, api),
  patch: (scene, patch) => selectors.patchSelector(scene, patch, api),
  remove: ({ client, namespace }) => client.delete(api, { namespace, name: 'web' }),
})

/** Describes rows of KEP-6116's test plan on which Pods are in slices; see describeKep6116(). */
export function describeSelection({ published, patch }: Actions): void {
  it.each(['custom', 'replace'])('1: matchLabels, slices (in %s mode)', async (mode) => {
    const scene = await published({ mode })
    await until(() => scene.differences([])).toEqual([])
    expect(await slicesOf(scene)).toHaveLength(1)
  })

  it('4: the selector changed, retargeted', async () => {
    const scene = await published()
    await scene.addPods(['api-1'], { labels: { app: 'api' } })
    await patch(scene, { spec: { selector: { matchLabels: { app: 'api' } } } })
    await until(() => podsOf(scene)).toEqual(['api-1'])
  })

  it('5 to 8, 25, 26, 36: Pods are in slices as they come, become ready and not ready in turn, terminate and go', async () => {
    const scene = await published()
    const { namespace, pods } = scene
    const facts = async () =>
      (await endpointsOf(scene))
        .map(({ targetRef, addresses: [address], conditions }) => [targetRef?.name, address, conditions])
        .sort()
    const is = (ready: boolean, serving = ready) => ({ ready, serving, terminating: ready !== serving })
    await scene.addPods(['web-3'], { ready: false })
    for (const ready of [false, true, false, true]) {
      await pods.setReady({ namespace, name: 'web-3' }, ready)
      await until(facts).toEqual([
        ['web-1', '10.1.0.0', is(true)],
        ['web-2', '10.1.0.1', is(true)],
        ['web-3', '10.1.0.2', is(ready)],
      ])
    }
    await pods.terminate({ namespace, name: 'web-1' })
    await until(async () => (await facts())[0]).toEqual(['web-1', '10.1.0.0', is(false, true)])
    await pods.finish({ namespace, name: 'web-1' })
    await until(() => podsOf(scene)).toEqual(['web-2', 'web-3'])
  })
}

/** Describes its rows on labels and owners. */
export function describeMetadata({ published, api }: Actions): void {
  it('10, 11, 14: its labels on slices, reserved ones with the controller’s values, and that of its name', async () => {
    const scene = await published({
      metadata: {
        labels: {
          team: 'shop',
          [LABEL_SERVICE_NAME]: 'db',
          [LABEL_MANAGED_BY]: 'somebody',
          [LABEL_HEADLESS]: 'yes',
          [LABEL_ENDPOINT_SELECTOR_NAME]: 'other',
        },
        annotations: { note: 'mine' },
      },
    })
    const [slice] = await slicesOf(scene)
    expect(slice?.metadata?.labels).toEqual({
      team: 'shop',
      [LABEL_MANAGED_BY]: 'sliceflow.dev',
      [LABEL_HEADLESS]: '',
      [LABEL_ENDPOINT_SELECTOR_NAME]: 'web',
    })
    expect(slice?.metadata?.annotations).not.toHaveProperty('note')
    expect(slice && isSealed(slice)).toBe(true)
    // It has none.
    expect(slice?.ports ?? []).toEqual([])
  })

  it('13: it has an owner, and its slices are its own all the same', async () => {
    const owner = { apiVersion: 'example.org/v1', kind: 'Pool', name: 'pool', uid: 'uid-pool' }
    const scene = await published({ metadata: { ownerReferences: [owner] } })
    const { metadata } = await scene.client.get(api, { namespace: scene.namespace, name: 'web' })
    expect((await slicesOf(scene)).map((slice) => slice.metadata?.ownerReferences)).toEqual([
      [
        {
          apiVersion: apiVersionOf(api),
          kind: 'EndpointSelector',
          name: 'web',
          uid: metadata?.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    ])
  })
}
