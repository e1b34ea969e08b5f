import { expect, it } from 'vitest'
import {
  ANNOTATION_ADDRESSES,
  ANNOTATION_CLUSTER,
  ANNOTATION_NAMESPACE,
  ANNOTATION_PAUSED,
  ANNOTATION_RELEASE,
  ENDPOINT_SELECTOR,
} from '../../shared/changes/index.ts'
import { EVENTS, PODS } from '../../shared/kubernetes/index.ts'
import { heldSince } from '../../shared/reconciler/index.ts'
import { type OpenCluster, openScene, type Scene, until } from './scene.ts'
import { endpointsOf, openPublished, patchSelector, podsOf, slicesOf } from './selector-scene.ts'

/** Lists the messages about annotations of the EndpointSelector that name what it may not name. */
const refusals = async ({ client, namespace }: Scene): Promise<(string | undefined)[]> =>
  (await client.list(EVENTS, { namespace })).items
    .filter(
      ({ reason, involvedObject }) =>
        reason === 'RefusedAnnotation' && involvedObject?.kind === ENDPOINT_SELECTOR,
    )
    .map(({ message }) => message)

/** Describes what settings and annotations change of EndpointSelectors. */
export function describeSelectorControls(cluster: OpenCluster): void {
  it('a plan that removes too much is held until it is released, and a pause is said', async () => {
    const scene = await openPublished(cluster, { maximumRemoval: 0.5, maximumRemovalCount: 0 })
    await scene.pods.finish({ namespace: scene.namespace, name: 'web-1' })
    await scene.pods.finish({ namespace: scene.namespace, name: 'web-2' })
    const events = async () =>
      (await scene.client.list(EVENTS, { namespace: scene.namespace })).items.map(
        ({ reason, involvedObject: { kind, name } = {}, message }) => `${kind} ${name} ${reason}: ${message}`,
      )
    await until(events).toContainEqual(expect.stringMatching(/^EndpointSelector web PlanHeld: /))
    expect(await podsOf(scene)).not.toEqual([])
    const heldFrom = (await slicesOf(scene)).flatMap((slice) => heldSince([slice], Date.now()) ?? [])[0]
    await patchSelector(scene, { metadata: { annotations: { [ANNOTATION_RELEASE]: heldFrom } } })
    await until(() => podsOf(scene)).toEqual([])
    await patchSelector(scene, { metadata: { annotations: { [ANNOTATION_PAUSED]: 'true' } } })
    // By managedFields, which every API server keeps.
    const since = /^EndpointSelector web Paused: it is paused since 2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\dZ: /
    await until(events).toContainEqual(expect.stringMatching(since))
  })

  it('has Pods of another namespace, and addresses, by annotations that a setting grants', async () => {
    const other = await openScene(cluster())
    await other.addPods(['far-1'])
    const { cluster: name } = other
    const place = { [ANNOTATION_CLUSTER]: name, [ANNOTATION_NAMESPACE]: other.namespace }
    const scene = await openPublished(cluster, {
      allowedPods: `${name}/*=./${other.namespace}`,
      allowedAddresses: '*/*=10.66.0.0/16',
    })
    const addresses = async () => (await endpointsOf(scene)).flatMap((endpoint) => endpoint.addresses).sort()
    const own = await addresses()
    const [far] = await other.client.list(PODS, { namespace: other.namespace }).then(({ items }) => items)
    await patchSelector(scene, { metadata: { annotations: place } })
    await until(addresses).toEqual([far?.status?.podIP])
    const none = Object.fromEntries(Object.keys(place).map((annotation) => [annotation, null]))
    const plain = { ...none, [ANNOTATION_ADDRESSES]: '10.66.6.6' }
    await patchSelector(scene, { metadata: { annotations: plain } })
    await until(addresses).toEqual(['10.66.6.6'])
    await patchSelector(scene, { metadata: { annotations: { [ANNOTATION_ADDRESSES]: '10.77.7.7' } } })
    await until(() => refusals(scene)).toContainEqual(expect.stringContaining('10.77.7.7'))
    expect(await addresses()).toEqual(['10.66.6.6'])
    await patchSelector(scene, { metadata: { annotations: { [ANNOTATION_ADDRESSES]: null } } })
    await until(addresses).toEqual(own)
  })
}
