import { describe, expect, it, onTestFinished } from 'vitest'
import { ENDPOINT_SELECTOR } from '../../shared/changes/index.ts'
import {
  type EndpointSelector,
  type EndpointSlice,
  LABEL_ENDPOINT_SELECTOR_NAME,
} from '../../shared/endpointslice/index.ts'
import {
  apiVersionOf,
  ENDPOINT_SELECTORS,
  ENDPOINT_SLICES,
  NATIVE_ENDPOINT_SELECTORS,
  runWatcher,
} from '../../shared/kubernetes/index.ts'
import type { StartCluster } from './cluster.ts'
import { type Scene, until } from './scene.ts'
import { defineEndpointSelectors, MATCHES_WEB, openPublished, podsOf, slicesOf } from './selector-scene.ts'
import { useCluster } from './use-cluster.ts'

/** Manifest of an EndpointSelector, of which only the API differs from that of ours. */
const addNative = ({ client, namespace }: Scene, name = 'web'): Promise<EndpointSelector> =>
  client.create(NATIVE_ENDPOINT_SELECTORS, { metadata: { name, namespace }, spec: MATCHES_WEB })

const ownersOf = (slices: readonly EndpointSlice[]): string[] => [
  ...new Set(slices.flatMap(({ metadata }) => metadata?.ownerReferences ?? []).map(({ uid }) => uid)),
]

/** Adds a slice that shows that the garbage collector has noticed the end of our EndpointSelector `web`. */
async function addDependent({ client, namespace }: Scene): Promise<string> {
  const name = 'dependent'
  const { metadata } = await client.get(ENDPOINT_SELECTORS, { namespace, name: 'web' })
  const owner = { apiVersion: apiVersionOf(ENDPOINT_SELECTORS), kind: ENDPOINT_SELECTOR, name: 'web' }
  const ownerReferences = [{ ...owner, uid: metadata?.uid ?? '' }]
  const slice = { metadata: { name, namespace, ownerReferences }, addressType: 'IPv4', endpoints: [] }
  await client.create(ENDPOINT_SLICES, slice)
  return name
}

const exists = async (scene: Scene, name: string): Promise<boolean> =>
  (await scene.slices()).some(({ metadata }) => metadata?.name === name)

/** Follows the slices of the EndpointSelector `web`, as a consumer does, and notes each state of them. */
async function follow({ client, namespace }: Scene): Promise<{ readonly addresses: string[][] }> {
  const slices = new Map<string, EndpointSlice>()
  const addresses: string[][] = []
  const ending = new AbortController()
  const note = (): void => {
    addresses.push(
      [...slices.values()].flatMap(({ endpoints }) => (endpoints ?? []).flatMap((one) => one.addresses)),
    )
  }
  const put = (slice: EndpointSlice): void => void slices.set(slice.metadata?.name ?? '', slice)
  const listed = Promise.withResolvers<void>()
  const watching = runWatcher(client, {
    resource: ENDPOINT_SLICES,
    selection: { namespace, labelSelector: `${LABEL_ENDPOINT_SELECTOR_NAME}=web` },
    signal: ending.signal,
    handler: {
      listing: () => slices.clear(),
      object: put,
      listed() {
        note()
        listed.resolve()
      },
      changed(slice) {
        put(slice)
        note()
      },
      deleted(slice) {
        slices.delete(slice.metadata?.name ?? '')
        note()
      },
    },
  })
  onTestFinished(async () => {
    ending.abort()
    await watching
  })
  await listed.promise
  return { addresses }
}

/**
 * Describes EndpointSelectors of API servers that serve them natively, as Kubernetes 1.38 is to.
 * @param startGarbageCollector until the test ends; default: the cluster has one
 */
export function describeNativeSelectors(
  name: string,
  startCluster: StartCluster,
  startGarbageCollector?: () => Promise<void>,
): void {
  describe(`EndpointSelectors that ${name} serves natively`, () => {
    const cluster = useCluster(startCluster)

    it('take over from ours without a missing endpoint and without a second owner', async () => {
      await defineEndpointSelectors(cluster().client)
      await defineEndpointSelectors(cluster().client, NATIVE_ENDPOINT_SELECTORS)
      const scene = await openPublished(cluster)
      const [before] = await slicesOf(scene)
      const seen = await follow(scene)
      const { metadata } = await addNative(scene)
      await until(async () => ownersOf(await slicesOf(scene))).toEqual([metadata?.uid])
      await startGarbageCollector?.()
      const dependent = await addDependent(scene)
      await scene.client.delete(ENDPOINT_SELECTORS, { namespace: scene.namespace, name: 'web' })
      await until(() => exists(scene, dependent)).toBe(false)
      await scene.addPods(['web-3'])
      await until(() => podsOf(scene)).toEqual(['web-1', 'web-2', 'web-3'])
      expect((await slicesOf(scene)).map((slice) => slice.metadata?.uid)).toEqual([before?.metadata?.uid])
      const [two, ...others] = seen.addresses
      expect(two).toHaveLength(2)
      for (const state of others) {
        expect(new Set(state).size).toBe(state.length)
        expect(state).toEqual(expect.arrayContaining(two ?? []))
      }
      await scene.client.delete(NATIVE_ENDPOINT_SELECTORS, { namespace: scene.namespace, name: 'web' })
      await until(() => scene.slices()).toEqual([])
    })
  })
}
