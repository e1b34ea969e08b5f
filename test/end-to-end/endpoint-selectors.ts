import { beforeAll, describe, expect, it } from 'vitest'
import { describeService, explainService } from '../../functions/explain/index.ts'
import {
  ANNOTATION_PAUSED,
  ANNOTATION_RELEASE,
  ENDPOINT_SELECTOR,
  isSealed,
} from '../../shared/changes/index.ts'
import {
  LABEL_ENDPOINT_SELECTOR_NAME,
  LABEL_HEADLESS,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
} from '../../shared/endpointslice/index.ts'
import { ENDPOINT_SELECTORS, ENDPOINT_SLICES, EVENTS, NODES } from '../../shared/kubernetes/index.ts'
import { createNodeReader, heldSince } from '../../shared/reconciler/index.ts'
import type { StartCluster } from './cluster.ts'
import { describeRefusedSelectors } from './refused-selectors.ts'
import { numbered, type OpenCluster, openScene, until } from './scene.ts'
import {
  addSelector,
  defineEndpointSelectors,
  endpointsOf,
  MATCHES_WEB,
  ON,
  openPublished,
  patchSelector,
  podsOf,
  slicesOf,
  untilServicesAreRight,
} from './selector-scene.ts'
import { useCluster } from './use-cluster.ts'

/**
 * Describes slices of EndpointSelectors, on any API server that serves definitions. The user has the roles
 * for it and no more. The tests of the first three groups are rows of KEP-6116's test plan.
 */
export function describeEndpointSelectors(name: string, startCluster: StartCluster): void {
  describe(`EndpointSelectors on ${name}`, () => {
    const cluster = useCluster(startCluster)
    beforeAll(() => defineEndpointSelectors(cluster().client))

    describeSlices(cluster)
    describeReadiness(cluster)
    describeRefusedSelectors(cluster)
    describeNeighbours(cluster)
    describeControls(cluster)
  })
}

function describeSlices(cluster: OpenCluster): void {
  it.each(['custom', 'replace'])('matchLabels give slices, in %s mode', async (mode) => {
    const scene = await openPublished(cluster, { mode })
    await until(() => scene.differences([])).toEqual([])
    expect(await slicesOf(scene)).toHaveLength(1)
  })

  it('matchExpressions give slices', async () => {
    const values = ['web', 'api']
    const matchExpressions = [
      { key: 'app', operator: 'In', values },
      { key: 'canary', operator: 'DoesNotExist' },
    ] as const
    const scene = await openPublished(cluster, { spec: { selector: { matchExpressions } } })
    await scene.addPods(['api-1'], { labels: { app: 'api' } })
    await scene.addPods(['api-2'], { labels: { app: 'api', canary: '' } })
    await scene.addPods(['db-1'], { labels: { app: 'db' } })
    await until(() => podsOf(scene)).toEqual(['api-1', 'web-1', 'web-2'])
  })

  it('a selector that changes gives the slices other Pods', async () => {
    const scene = await openPublished(cluster)
    await scene.addPods(['api-1'], { labels: { app: 'api' } })
    await patchSelector(scene, { spec: { selector: { matchLabels: { app: 'api' } } } })
    await until(() => podsOf(scene)).toEqual(['api-1'])
  })

  it('the address of a Pod that is added comes, and that of one that is deleted goes', async () => {
    const scene = await openPublished(cluster)
    await scene.addPods(['web-3'])
    await until(() => podsOf(scene)).toEqual(['web-1', 'web-2', 'web-3'])
    await scene.pods.finish({ namespace: scene.namespace, name: 'web-1' })
    await until(() => podsOf(scene)).toEqual(['web-2', 'web-3'])
  })

  it('an EndpointSelector that is deleted takes its slices with it', async () => {
    const scene = await openPublished(cluster)
    await scene.client.delete(ENDPOINT_SELECTORS, { namespace: scene.namespace, name: 'web' })
    await until(() => scene.slices()).toEqual([])
  })

  it('slices have its labels, but reserved ones as the controller sets them, and no annotations', async () => {
    const scene = await openPublished(cluster, {
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
  })

  it('slices have its ports, with the appProtocol, and named ones as each Pod numbers them', async () => {
    const scene = await openScene(cluster(), ON)
    const ports = [
      { name: 'http', targetPort: 'web', appProtocol: 'kubernetes.io/h2c' },
      { name: 'dns', protocol: 'UDP', targetPort: 53 },
    ]
    await scene.addPods(['web-1'], { ports: { web: 8080 } })
    await scene.addPods(['web-2'], { ports: { web: 9090 } })
    await addSelector(scene, { ...MATCHES_WEB, ports })
    await scene.start()
    const dns = { name: 'dns', protocol: 'UDP', port: 53 }
    const http = { name: 'http', protocol: 'TCP', appProtocol: 'kubernetes.io/h2c' }
    const portsByPod = async () =>
      (await slicesOf(scene))
        .map(({ endpoints, ports: of }) => [endpoints?.[0]?.targetRef?.name, of])
        .sort(([one], [other]) => String(one).localeCompare(String(other)))
    await until(portsByPod).toMatchObject([
      ['web-1', expect.arrayContaining([{ ...http, port: 8080 }, dns])],
      ['web-2', expect.arrayContaining([{ ...http, port: 9090 }, dns])],
    ])
  })

  it('slices are its own, whoever owns it, by its uid', async () => {
    const owner = { apiVersion: 'example.org/v1', kind: 'Pool', name: 'pool', uid: 'uid-pool' }
    const scene = await openPublished(cluster, { metadata: { ownerReferences: [owner] } })
    const { metadata } = await scene.client.get(ENDPOINT_SELECTORS, {
      namespace: scene.namespace,
      name: 'web',
    })
    expect((await slicesOf(scene)).map((slice) => slice.metadata?.ownerReferences)).toEqual([
      [
        {
          apiVersion: 'sliceflow.dev/v1alpha1',
          kind: 'EndpointSelector',
          name: 'web',
          uid: metadata?.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    ])
  })

  it('one of the same name that is made again has slices of its own', async () => {
    const scene = await openPublished(cluster)
    const [before] = await slicesOf(scene)
    await scene.client.delete(ENDPOINT_SELECTORS, { namespace: scene.namespace, name: 'web' })
    const { metadata } = await addSelector(scene)
    const owners = async () =>
      (await slicesOf(scene)).flatMap((slice) => slice.metadata?.ownerReferences ?? []).map(({ uid }) => uid)
    await until(owners).toEqual([metadata?.uid])
    await until(() => podsOf(scene)).toEqual(['web-1', 'web-2'])
    expect((await slicesOf(scene))[0]?.metadata?.uid).not.toBe(before?.metadata?.uid)
  })
}

function describeReadiness(cluster: OpenCluster): void {
  it('a Pod that becomes ready or not has its conditions changed', async () => {
    const scene = await openPublished(cluster)
    const ref = { namespace: scene.namespace, name: 'web-1' }
    const conditionsOf = async () =>
      (await endpointsOf(scene)).find(({ targetRef }) => targetRef?.name === 'web-1')?.conditions
    for (const ready of [false, true, false]) {
      await scene.pods.setReady(ref, ready)
      await until(conditionsOf).toEqual({ ready, serving: ready, terminating: false })
    }
  })

  it('two families, and each of them alone, are those of the Pods', async () => {
    const scene = await openScene(cluster(), ON)
    const { namespace, nodes, pods } = scene
    const pod = { metadata: { name: 'web-1', namespace, labels: { app: 'web' } } }
    await pods.start(
      { ...pod, spec: { nodeName: nodes[0], containers: [{ name: 'main', image: 'none' }] } },
      ['10.1.0.1', 'fd00::1'],
      { ready: true },
    )
    await addSelector(scene)
    await scene.start()
    const addresses = async () => (await endpointsOf(scene)).flatMap((endpoint) => endpoint.addresses).sort()
    await until(addresses).toEqual(['10.1.0.1', 'fd00::1'])
    await patchSelector(scene, { spec: { ipFamilies: ['IPv6'] } })
    await until(addresses).toEqual(['fd00::1'])
    await patchSelector(scene, { spec: { ipFamilies: ['IPv4'] } })
    await until(addresses).toEqual(['10.1.0.1'])
    await pods.finish({ namespace, name: 'web-1' })
    await until(() => slicesOf(scene)).toEqual([])
  })
}

function describeNeighbours(cluster: OpenCluster): void {
  it('a Service of the same name, and another selector of the same Pods, have slices of their own', async () => {
    const scene = await openPublished(cluster)
    await scene.addService('web')
    await addSelector(scene, MATCHES_WEB, { name: 'all' })
    await until(() => podsOf(scene, 'all')).toEqual(['web-1', 'web-2'])
    await untilServicesAreRight(scene)
    await scene.removeService('web')
    await until(() => scene.slices('web')).toEqual([])
    expect(await podsOf(scene)).toEqual(['web-1', 'web-2'])
    await scene.client.delete(ENDPOINT_SELECTORS, { namespace: scene.namespace, name: 'web' })
    await until(() => slicesOf(scene)).toEqual([])
    expect(await podsOf(scene, 'all')).toEqual(['web-1', 'web-2'])
  })

  it('slices of a Service that carry its label are left to the Service', async () => {
    const scene = await openPublished(cluster)
    await scene.addService('db', {
      selector: { app: 'web' },
      labels: { [LABEL_ENDPOINT_SELECTOR_NAME]: 'web' },
    })
    await until(async () =>
      (await scene.slices('db')).flatMap(({ endpoints }) => endpoints ?? []),
    ).toHaveLength(2)
    await scene.addPods(['web-3'])
    const own = async () =>
      (await slicesOf(scene)).filter(({ metadata }) => metadata?.labels?.[LABEL_SERVICE_NAME] === undefined)
    await until(async () => (await own()).flatMap(({ endpoints }) => endpoints ?? [])).toHaveLength(3)
    await until(async () =>
      (await scene.slices('db')).flatMap(({ endpoints }) => endpoints ?? []),
    ).toHaveLength(3)
  })

  it('edits and deletions of slices are repaired, and a start finds what happened before', async () => {
    const scene = await openScene(cluster(), ON)
    await scene.addPods(['web-1', 'web-2'])
    await addSelector(scene)
    const first = await scene.start()
    await until(() => podsOf(scene)).toEqual(['web-1', 'web-2'])
    const [slice] = await slicesOf(scene)
    await scene.editSlice(slice?.metadata?.name ?? '', { endpoints: [] })
    await until(() => podsOf(scene)).toEqual(['web-1', 'web-2'])
    await scene.client.delete(ENDPOINT_SLICES, {
      namespace: scene.namespace,
      name: slice?.metadata?.name ?? '',
    })
    await until(() => podsOf(scene)).toEqual(['web-1', 'web-2'])
    await first.stop()

    await scene.pods.finish({ namespace: scene.namespace, name: 'web-1' })
    await scene.addPods(['web-3'])
    await scene.start()
    await until(() => podsOf(scene)).toEqual(['web-2', 'web-3'])
  })

  it('one that is deleted while nothing runs takes its slices with it, and the Service of its name none', async () => {
    const scene = await openScene(cluster(), ON)
    await scene.addPods(['web-1'])
    await addSelector(scene)
    await scene.addService('web')
    const first = await scene.start()
    await until(() => podsOf(scene)).toEqual(['web-1'])
    await untilServicesAreRight(scene)
    await first.stop()
    await scene.client.delete(ENDPOINT_SELECTORS, { namespace: scene.namespace, name: 'web' })
    await scene.start()
    await until(() => slicesOf(scene)).toEqual([])
    await untilServicesAreRight(scene)
    expect(await scene.slices('web')).not.toEqual([])
  })

  it('two Sliceflows at once make one set of slices, and neither undoes what the other does', async () => {
    const scene = await openScene(cluster(), { ...ON, maxEndpointsPerSlice: 2 })
    await scene.addPods(numbered('web', 5))
    await addSelector(scene)
    const both = await Promise.all([scene.start(), scene.start()])
    await until(() => podsOf(scene)).toEqual(numbered('web', 5))
    await scene.addPods(['web-6'])
    await scene.pods.finish({ namespace: scene.namespace, name: 'web-1' })
    await until(() => podsOf(scene)).toEqual(['web-2', 'web-3', 'web-4', 'web-5', 'web-6'])
    expect(await slicesOf(scene)).toHaveLength(3)
    expect(await Promise.all(both.map((one) => one.deadLetters()))).toEqual([0, 0])
  })

  it('a Pod that stays is published with the zone that its Node has now', async () => {
    const scene = await openPublished(cluster)
    await scene.client.patch(
      NODES,
      { name: scene.nodes[0] },
      { metadata: { labels: { 'topology.kubernetes.io/zone': 'zone-c' } } },
    )
    await until(async () => (await endpointsOf(scene)).map(({ zone }) => zone).sort()).toEqual([
      'zone-b',
      'zone-c',
    ])
  })
}

function describeControls(cluster: OpenCluster): void {
  it('a plan that removes too much is held until it is released, and a pause is said', async () => {
    const scene = await openPublished(cluster, { maximumRemoval: 0.5, maximumRemovalCount: 0 })
    await scene.pods.finish({ namespace: scene.namespace, name: 'web-1' })
    await scene.pods.finish({ namespace: scene.namespace, name: 'web-2' })
    const reasons = async () =>
      (await scene.client.list(EVENTS, { namespace: scene.namespace })).items.map(
        ({ reason, involvedObject }) => `${involvedObject?.kind} ${involvedObject?.name} ${reason}`,
      )
    await until(reasons).toContain('EndpointSelector web PlanHeld')
    expect(await podsOf(scene)).not.toEqual([])
    const since = (await slicesOf(scene)).flatMap((slice) => heldSince([slice], Date.now()) ?? [])[0]
    await patchSelector(scene, { metadata: { annotations: { [ANNOTATION_RELEASE]: since } } })
    await until(() => podsOf(scene)).toEqual([])
    await patchSelector(scene, { metadata: { annotations: { [ANNOTATION_PAUSED]: 'true' } } })
    await until(reasons).toContain('EndpointSelector web Paused')
  })

  it('are explained as Services are', async () => {
    const scene = await openPublished(cluster)
    const { client, namespace, settings } = scene
    const clusterOf = () => ({ client, nodes: createNodeReader(client) })
    const key = { cluster: scene.cluster, namespace, service: 'web', ownerKind: ENDPOINT_SELECTOR }
    const report = await explainService({ clusterOf, key, settings, signal: new AbortController().signal })
    expect(report).toMatchObject({
      management: { state: 'Managed', reason: 'it has a selector' },
      endpoints: [{ name: 'web-1' }, { name: 'web-2' }],
      writes: { create: [], update: [], delete: [] },
    })
    expect(report && describeService(report, Date.now())).toContain(`EndpointSelector:  ${namespace}/web`)
  })

  it('without the setting nothing is published, and what is published stays', async () => {
    const scene = await openScene(cluster(), ON)
    await scene.addPods(['web-1'])
    await addSelector(scene)
    await scene.addService('api', { selector: { app: 'web' } })
    const first = await scene.start()
    await until(() => podsOf(scene)).toEqual(['web-1'])
    await first.stop()
    await scene.addPods(['web-2'])
    await scene.start({ endpointSelectors: false })
    await untilServicesAreRight(scene)
    expect(await podsOf(scene)).toEqual(['web-1'])
  })
}
