import { describe, expect, it } from 'vitest'
import { makeNode } from '../../test/support/world/index.ts'
import { ENDPOINT_SELECTOR } from '../changes/index.ts'
import {
  type EndpointSelector,
  type EndpointSlice,
  LABEL_MANAGED_BY,
  type OwnerReference,
} from '../endpointslice/index.ts'
import {
  type ApiObject,
  ENDPOINT_SELECTORS,
  ENDPOINT_SLICES,
  EVENTS,
  NATIVE_ENDPOINT_SELECTORS,
  NODES,
  PODS,
  type Resource,
} from '../kubernetes/index.ts'
import { parseSettings } from '../settings/index.ts'
import { createMemoryCluster, type MemoryCluster, startProcess, webPod } from './memory-cluster.fixtures.ts'

const SETTINGS = parseSettings({ endpointSelectors: true })
const KEY = { ownerKind: ENDPOINT_SELECTOR } as const
const BOTH = [ENDPOINT_SELECTORS, NATIVE_ENDPOINT_SELECTORS]
/** The in-tree controller gathers changes for a moment, in which nobody can know whether it is there. */
const WAIT_MS = 3_000
/** After it a process asks the API server again what it serves. */
const FORGETS_MS = 10_000

const selector = ({ group, version }: Resource): EndpointSelector => ({
  apiVersion: `${group}/${version}`,
  kind: 'EndpointSelector',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { selector: { matchLabels: { app: 'web' } }, ipFamilies: ['IPv4'] },
})
const OWN = selector(ENDPOINT_SELECTORS)
const NATIVE = selector(NATIVE_ENDPOINT_SELECTORS)

const slicesOf = (cluster: MemoryCluster): EndpointSlice[] => cluster.all(ENDPOINT_SLICES)
const ownersOf = (cluster: MemoryCluster): (OwnerReference | undefined)[] =>
  slicesOf(cluster).map(({ metadata }) => metadata?.ownerReferences?.[0])
const podsIn = (all: readonly EndpointSlice[]): (string | undefined)[] =>
  all.flatMap(({ endpoints }) => endpoints ?? []).map(({ targetRef }) => targetRef?.name)
const referenceTo = ({ apiVersion, metadata }: ApiObject): object => ({
  apiVersion,
  kind: 'EndpointSelector',
  uid: metadata?.uid,
})
const writesOf = ({ calls }: MemoryCluster): readonly string[] =>
  calls.filter((call) => /^(create|update|delete) endpointslices/.test(call))

function worldWith(...served: readonly Resource[]): MemoryCluster {
  const cluster = createMemoryCluster()
  cluster.served = served
  cluster.put(NODES, makeNode())
  for (const number of [1, 2]) cluster.put(PODS, webPod(number))
  return cluster
}

/** Writes the slice that another controller would write for the EndpointSelector. */
function publishByAnother(cluster: MemoryCluster, owner: ApiObject, count = 2): EndpointSlice {
  const endpoints = Array.from({ length: count }, (_, index) => ({
    addresses: [`10.0.0.${index + 1}`],
    conditions: { ready: true, serving: true, terminating: false },
  }))
  return cluster.put(ENDPOINT_SLICES, {
    metadata: {
      name: 'web-in-tree',
      namespace: 'shop',
      labels: {
        'kubernetes.io/endpoint-selector-name': 'web',
        [LABEL_MANAGED_BY]: 'endpointslice-controller.k8s.io',
      },
      ownerReferences: [{ ...referenceTo(owner), name: 'web' } as OwnerReference],
    },
    addressType: 'IPv4',
    endpoints,
  })
}

describe('an EndpointSelector that the API server serves natively', () => {
  it('is published once nobody else has done it for a moment, and the next one at once', async () => {
    const cluster = worldWith(NATIVE_ENDPOINT_SELECTORS)
    const native = cluster.put(NATIVE_ENDPOINT_SELECTORS, NATIVE)
    const { handle, pauses } = startProcess(cluster, { settings: SETTINGS })
    await handle(KEY)
    expect(pauses).toEqual([WAIT_MS])
    expect(ownersOf(cluster)).toMatchObject([referenceTo(native)])
    const more = { ...NATIVE, metadata: { name: 'all', namespace: 'shop' } }
    cluster.put(NATIVE_ENDPOINT_SELECTORS, more)
    await handle({ ...KEY, service: 'all' })
    expect(pauses).toEqual([WAIT_MS])
    expect(slicesOf(cluster)).toHaveLength(2)
  })

  it('is never published as the projection of a Service, and ours of its name is', async () => {
    const cluster = worldWith(...BOTH)
    const owner = { apiVersion: 'v1', kind: 'Service', name: 'web', uid: 'uid-1', controller: true }
    cluster.put(NATIVE_ENDPOINT_SELECTORS, {
      ...NATIVE,
      metadata: { ...NATIVE.metadata, ownerReferences: [owner] },
    })
    const { handle, pauses } = startProcess(cluster, { settings: SETTINGS })
    await handle(KEY)
    expect([slicesOf(cluster), pauses]).toEqual([[], []])
    const own = cluster.put(ENDPOINT_SELECTORS, OWN)
    await handle(KEY)
    expect(ownersOf(cluster)).toMatchObject([referenceTo(own)])
  })

  it('is left alone if another controller publishes it in that moment', async () => {
    const cluster = worldWith(NATIVE_ENDPOINT_SELECTORS)
    const native = cluster.put(NATIVE_ENDPOINT_SELECTORS, NATIVE)
    let lists = 0
    cluster.before = (call) => {
      if (call.startsWith('list endpointslices') && ++lists === 2) publishByAnother(cluster, native)
    }
    const { handle } = startProcess(cluster, { settings: SETTINGS })
    await handle(KEY)
    expect(slicesOf(cluster).map(({ metadata }) => metadata?.name)).toEqual(['web-in-tree'])
    expect(writesOf(cluster)).toEqual([])
  })

  it('is given up to a controller that begins to publish it, once that one has all of it', async () => {
    const cluster = worldWith(NATIVE_ENDPOINT_SELECTORS)
    const native = cluster.put(NATIVE_ENDPOINT_SELECTORS, NATIVE)
    const { handle, clock } = startProcess(cluster, { settings: SETTINGS })
    await handle(KEY)
    publishByAnother(cluster, native, 1)
    clock.now += FORGETS_MS
    await handle(KEY)
    expect(slicesOf(cluster)).toHaveLength(2)
    expect(cluster.all(EVENTS)).toMatchObject([
      { reason: 'PlanHeld', message: expect.stringContaining('another controller publishes') },
    ])
    publishByAnother(cluster, native)
    clock.now += FORGETS_MS
    await handle(KEY)
    expect(slicesOf(cluster).map(({ metadata }) => metadata?.name)).toEqual(['web-in-tree'])
  })

  it('takes over the slices of ours in one write that changes nothing but the owner', async () => {
    const cluster = worldWith(ENDPOINT_SELECTORS)
    cluster.put(ENDPOINT_SELECTORS, OWN)
    const { handle, clock } = startProcess(cluster, { settings: SETTINGS })
    await handle(KEY)
    const [before] = slicesOf(cluster)
    cluster.calls.length = 0
    cluster.served = BOTH
    const native = cluster.put(NATIVE_ENDPOINT_SELECTORS, NATIVE)
    clock.now += FORGETS_MS
    await handle(KEY)
    expect(writesOf(cluster)).toEqual([`update endpointslices ${before?.metadata?.name}`])
    expect(ownersOf(cluster)).toMatchObject([{ ...referenceTo(native), controller: true }])
    expect(slicesOf(cluster)[0]?.endpoints).toEqual(before?.endpoints)
    // Ours changes nothing any more, nor does its end.
    cluster.calls.length = 0
    cluster.remove(ENDPOINT_SELECTORS, 'web')
    clock.now += FORGETS_MS
    await handle(KEY)
    expect(writesOf(cluster)).toEqual([])
  })

  it('is no business of a slice that names it and has another owner', async () => {
    const cluster = worldWith(NATIVE_ENDPOINT_SELECTORS)
    cluster.put(NATIVE_ENDPOINT_SELECTORS, NATIVE)
    publishByAnother(cluster, { apiVersion: 'example.org/v1', metadata: { uid: 'somebody' } })
    const { handle } = startProcess(cluster, { settings: SETTINGS })
    await handle(KEY)
    expect(slicesOf(cluster)).toHaveLength(2)
  })

  it('takes its slices with it', async () => {
    const cluster = worldWith(NATIVE_ENDPOINT_SELECTORS)
    cluster.put(NATIVE_ENDPOINT_SELECTORS, NATIVE)
    const { handle, clock } = startProcess(cluster, { settings: SETTINGS })
    await handle(KEY)
    cluster.remove(NATIVE_ENDPOINT_SELECTORS, 'web')
    clock.now += FORGETS_MS
    await handle(KEY)
    expect(slicesOf(cluster)).toEqual([])
  })

  it('and its slices are safe from an API server that does not serve it, with one of ours of its name', async () => {
    const cluster = worldWith(...BOTH)
    cluster.put(NATIVE_ENDPOINT_SELECTORS, NATIVE)
    const { handle, clock } = startProcess(cluster, { settings: SETTINGS })
    await handle(KEY)
    const before = slicesOf(cluster)
    cluster.served = [ENDPOINT_SELECTORS]
    // What was known does not count for a clock that was set back either.
    clock.now -= FORGETS_MS
    await expect(handle(KEY)).rejects.toThrow('does not serve discovery.k8s.io/v1alpha1')
    cluster.put(ENDPOINT_SELECTORS, OWN)
    clock.now += FORGETS_MS
    await expect(handle(KEY)).rejects.toThrow('does not serve discovery.k8s.io/v1alpha1')
    const seen = { slicesVersion: '99', podsVersion: '99', selector: 'app in (web)' }
    const ahead = { ...KEY, relayVerifies: true, readAhead: seen } as const
    clock.now += FORGETS_MS
    await expect(handle(ahead)).rejects.toThrow('does not serve discovery.k8s.io/v1alpha1')
    expect(slicesOf(cluster)).toEqual(before)
  })

  it('is found though the process remembers an API server that did not serve it', async () => {
    const cluster = worldWith(ENDPOINT_SELECTORS)
    const { handle } = startProcess(cluster, { settings: SETTINGS })
    await handle(KEY)
    cluster.served = BOTH
    cluster.put(NATIVE_ENDPOINT_SELECTORS, NATIVE)
    await handle({ ...KEY, resourceVersion: '99' })
    expect(podsIn(slicesOf(cluster))).toEqual(['web-1', 'web-2'])
  })

  it('is left to another controller whose slices are found although ours are cached', async () => {
    const cluster = worldWith(NATIVE_ENDPOINT_SELECTORS)
    const native = cluster.put(NATIVE_ENDPOINT_SELECTORS, NATIVE)
    const { handle } = startProcess(cluster, { settings: SETTINGS })
    await handle({ ...KEY, relayVerifies: true })
    const [own] = slicesOf(cluster)
    const { name = '', resourceVersion = '' } = own?.metadata ?? {}
    publishByAnother(cluster, native)
    const seen = { slicesVersion: '99', podsVersion: '99', selector: 'app in (web)' }
    const readAhead = { ...seen, slices: [name], sliceVersions: [resourceVersion] }
    await handle({ ...KEY, relayVerifies: true, readAhead })
    expect(slicesOf(cluster).map(({ metadata }) => metadata?.name)).toEqual(['web-in-tree'])
  })

  it('costs a hint no more than a Service: the Pod is read, and one slice is written', async () => {
    const cluster = worldWith(...BOTH)
    const native = cluster.put(NATIVE_ENDPOINT_SELECTORS, NATIVE)
    const first = startProcess(cluster, { settings: SETTINGS })
    await first.handle(KEY)
    const [slice] = slicesOf(cluster)
    const { name = '', resourceVersion = '' } = slice?.metadata ?? {}
    cluster.put(PODS, webPod(1, false))
    cluster.calls.length = 0
    const { handle } = startProcess(cluster, { settings: SETTINGS })
    await handle({
      ...KEY,
      hint: { pods: ['web-1'], slices: [name], sliceVersions: [resourceVersion] },
      serviceVersion: native.metadata?.resourceVersion ?? '',
      relayVerifies: true,
    })
    expect(cluster.calls.filter((call) => !/^(get|list) (pods|nodes)/.test(call))).toEqual([
      `get endpointslices ${name}`,
      'get endpointselectors.discovery.k8s.io web',
      `update endpointslices ${name}`,
    ])
  })
})
