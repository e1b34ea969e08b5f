import { describe, expect, it } from 'vitest'
import { makeNode } from '../../../test/support/world/index.ts'
import { ADDRESSES, permissionsOf, selectionOf } from '../../changes/index.ts'
import type { EndpointSlice, Pod } from '../../endpointslice/index.ts'
import {
  type ApiClient,
  type ListOptions,
  NODES,
  PODS,
  type Selecting,
  TooLargeVersionError,
} from '../../kubernetes/index.ts'
import { parseSettings } from '../../settings/index.ts'
import { createMemoryCluster, webPod, webService } from '../memory-cluster.fixtures.ts'
import { isRead, podsOfParts } from './endpoint-parts.ts'
import { type EndpointRead, EndpointReader } from './endpoint-reader.ts'
import { createNodeReader, type NamedNodes, type NodeReader } from './node-reader.ts'

const service = webService({ selector: { app: 'web' } })

const ofGreen = { kind: 'managed', selector: [], namespace: 'shop', clusters: ['green'] } as const
const ofAddresses = { kind: 'sourced', source: ADDRESSES, asked: ['10.0.0.9'] } as const

/** Returns a pod with much that no plan is made of. */
function podAt(resourceVersion: string, uid = 'one'): Pod {
  const { metadata, ...rest } = webPod(uid === 'one' ? 1 : 2)
  const managedFields = [{ manager: 'kubelet', fieldsV1: { 'f:status': {} } }]
  return { ...rest, metadata: { ...metadata, uid, resourceVersion, managedFields } } as Pod
}

/**
 * Creates a reader of pods that notes every list and every read of nodes.
 * @param refusal answer to lists that name a minimum resource version
 */
function setUp({ refusal }: { readonly refusal?: Error } = {}) {
  const lists: (ListOptions & Selecting<Pod>)[] = []
  const wanted: NamedNodes[] = []
  const pods = [podAt('7')]
  let listed = 0
  const client: Partial<ApiClient> = {
    list: async (_resource, options = {}) => {
      const noted = options as ListOptions & Selecting<Pod>
      lists.push(noted)
      if (noted.notOlderThan !== undefined && refusal !== undefined) throw refusal
      const items = pods.map((pod) => (noted.select === undefined ? pod : noted.select(pod))) as never[]
      return { items, metadata: { resourceVersion: '9' } }
    },
  }
  const nodes: NodeReader = {
    async all() {
      listed++
      return [makeNode()]
    },
    async named(some) {
      wanted.push(some)
      return []
    },
  }
  const { signal } = new AbortController()
  const cluster = { client: client as ApiClient, nodes }
  const reader = new EndpointReader({ cluster: 'blue', clusterOf: () => cluster, nodesVersion: '3', signal })
  const read = async (more: Partial<EndpointRead> = {}) => {
    const selection = selectionOf(service, 'replace', permissionsOf('blue', parseSettings({})))
    if (selection.kind !== 'managed') throw new Error('the Service is to be managed')
    const [part, ...others] = await reader.read({ service, selection, slices: [], ...more })
    if (part === undefined || !isRead(part) || others.length > 0) throw new Error('one part is to be read')
    return part.endpoints
  }
  return { read, lists, pods, wanted, all: () => listed }
}

const sliceOf = (endpoints: number): EndpointSlice => ({
  addressType: 'IPv4',
  endpoints: Array.from({ length: endpoints }, (_, at) => ({ addresses: [`10.0.${at >> 8}.${at % 256}`] })),
})

describe('the endpoint reader', () => {
  it.each([
    ['the newest pods', undefined],
    ['pods of a cache', '5'],
  ])('keeps of %s what a plan is made of', async (_which, notOlderThan) => {
    const { read } = setUp()
    const { pods } = await read({ notOlderThan })
    const [pod] = pods
    expect(pod?.metadata?.name).toBe('web-1')
    expect(pod?.metadata).not.toHaveProperty('managedFields')
  })

  it('asks a cache once: whoever reads again does so since something has changed', async () => {
    const { read, lists } = setUp()
    expect(await read({ notOlderThan: '5' })).toMatchObject({ podsVersion: '9' })
    expect((await read({ notOlderThan: '5' })).podsVersion).toBeUndefined()
    expect(lists.map(({ notOlderThan, metadataOnly }) => [notOlderThan, metadataOnly])).toEqual([
      ['5', undefined],
      [undefined, true],
    ])
  })

  it('has no minimum version for another cluster, which counts its versions for itself', async () => {
    const { read, lists } = setUp()
    const { podsVersion } = await read({ notOlderThan: '5', selection: ofGreen })
    expect(lists.map(({ notOlderThan }) => notOlderThan)).toEqual([undefined])
    expect(podsVersion).toBeUndefined()
  })

  it.each([
    ['is ahead of the cluster, as that was restored', new TooLargeVersionError('too large', 504, {}), 2],
    ['cannot be asked for, as the cluster is down', new Error('the connection was cut'), 1],
  ])('reads the newest pods only where the minimum version %s', async (_, error, calls) => {
    const { read, lists } = setUp({ refusal: error })
    const outcome = await read({ notOlderThan: '5' }).catch((thrown: unknown) => thrown)
    expect(lists).toHaveLength(calls)
    if (calls === 1) expect(outcome).toBe(error)
    else expect(outcome).toHaveProperty('podsVersion', undefined)
  })

  it('reads pods again where one has changed, one went or one came since', async () => {
    const { read, lists, pods } = setUp()
    const versions = (of: readonly Pod[]) =>
      of.map(({ metadata }) => [metadata?.uid, metadata?.resourceVersion])
    await read()
    for (const change of [
      () => pods.splice(0, 1, podAt('8')),
      () => pods.push(podAt('9', 'two')),
      () => pods.splice(1, 1, podAt('10', 'two')),
      () => pods.splice(0, 1),
    ]) {
      lists.length = 0
      change()
      expect(versions((await read()).pods)).toEqual(versions(pods))
      expect(lists.map(({ metadataOnly }) => metadataOnly)).toEqual([true, undefined])
    }
    lists.length = 0
    await read()
    expect(lists.map(({ metadataOnly }) => metadataOnly)).toEqual([true])
  })

  it('asks for the pods that the Service selects and no others, each time', async () => {
    const { read, lists, pods } = setUp()
    await read({ notOlderThan: '5' })
    pods.push(podAt('9', 'two'))
    await read()
    expect(lists).toHaveLength(3)
    for (const list of lists)
      expect(list).toMatchObject({
        namespace: 'shop',
        labelSelector: 'app in (web)',
        signal: expect.any(AbortSignal),
      })
  })

  it('asks for the nodes that pods are on, and for none where no pod has one yet', async () => {
    const { read, pods, wanted, all } = setUp()
    const [pod = podAt('7')] = pods
    pods.push({ ...podAt('8', 'two'), spec: { containers: [] } })
    await read()
    expect(wanted.map(({ names }) => [...names])).toEqual([[pod.spec?.nodeName]])
    pods.shift()
    const spread = webService({}, { 'service.kubernetes.io/topology-mode': 'Auto' })
    await read({ service: spread })
    expect([...(wanted[1]?.names ?? ['none'])]).toEqual([])
    expect(all()).toBe(0)
  })

  it('tells of pods that are not on the network that the Service names, and of no others', async () => {
    const { read, pods } = setUp()
    const fullSync = await read()
    expect([fullSync.skipped, fullSync.selected?.unattached, fullSync.selected?.refused]).toEqual([
      [],
      [],
      [],
    ])
    const selection = {
      ...ofGreen,
      clusters: ['blue'],
      network: 'shop/fast',
      networkRanges: ['10.20.0.0/16'],
    }
    const { pods: published, selected } = await read({ selection })
    expect(published).toEqual([])
    expect([selected?.unattached?.length, selected?.refused]).toEqual([pods.length, []])
  })

  it('plans with the pods of another cluster by their source alone', async () => {
    const { read } = setUp()
    const foreign = await read({ selection: ofGreen })
    expect(foreign.pods).toEqual([])
    expect(foreign.source).toBeDefined()
    expect((await read()).source).toBeUndefined()
  })

  it('takes versions of nodes and zones of slices for what they are only in the Service’s own cluster', async () => {
    const own = setUp()
    await own.read({ slices: [sliceOf(1)] })
    expect(own.wanted).toMatchObject([{ nodesVersion: '3', slices: [{}] }])
    const foreign = setUp()
    await foreign.read({ slices: [sliceOf(1)], selection: ofGreen })
    expect(foreign.wanted).toHaveLength(1)
    expect(foreign.wanted[0]).not.toHaveProperty('nodesVersion')
    expect(foreign.wanted[0]).not.toHaveProperty('slices')
  })

  it.each<[string, Partial<EndpointRead> & { readonly isEmpty?: true }, number]>([
    ['its own pods', {}, 1],
    ['pods of another cluster', { selection: ofGreen }, 1],
    ['addresses that it tells', { selection: ofAddresses }, 1],
    ['no pods', { isEmpty: true }, 0],
  ])('reads all nodes for topology hints of a Service with %s', async (_, { isEmpty, ...more }, times) => {
    const { read, pods, all } = setUp()
    if (isEmpty) pods.length = 0
    const spread = webService({}, { 'service.kubernetes.io/topology-mode': 'Auto' })
    const { nodes } = await read({ service: spread, ...more })
    expect([all(), nodes.length]).toEqual([times, times])
  })

  it('reads only the nodes of its pods for a Service without such hints', async () => {
    const { read, all } = setUp()
    expect((await read()).nodes).toEqual([])
    expect(await read({ selection: ofAddresses })).toMatchObject({ pods: [], nodes: [], skipped: [] })
    expect(all()).toBe(0)
  })

  it('has a minimum version for its own cluster, be that named', async () => {
    const { read } = setUp()
    expect(await read({ notOlderThan: '5', selection: { ...ofGreen, clusters: ['blue'] } })).toMatchObject({
      podsVersion: '9',
      selected: { areForeign: false },
    })
  })

  it('publishes of a secondary network what is in a granted range, and tells of the rest', async () => {
    const { read, pods } = setUp()
    const [pod = podAt('7')] = pods
    const status = JSON.stringify([
      { name: 'shop/fast', ips: ['10.20.0.1', '192.0.2.1', 'fd00::1', 'fe80::1'] },
    ])
    const annotations = { 'k8s.v1.cni.cncf.io/network-status': status }
    pods.splice(0, 1, { ...pod, metadata: { ...pod.metadata, annotations } } as Pod)
    const networkRanges = ['10.20.0.0/16', 'fd00::/8']
    const selection = { ...ofGreen, clusters: ['blue'], network: 'shop/fast', networkRanges }
    const { pods: published, skipped } = await read({ selection })
    expect(published.map((one) => one.status?.podIPs?.map(({ ip }) => ip))).toEqual([
      ['10.20.0.1', 'fd00::1'],
    ])
    expect(skipped.map(({ reason }) => reason)).toEqual(['RefusedAddress', 'RefusedAddress'])

    const { networkRanges: _, ...ungranted } = selection
    const none = await read({ selection: ungranted })
    expect(none.pods.flatMap((one) => one.status?.podIPs ?? [])).toEqual([])
    expect(none.skipped).toHaveLength(4)
  })

  it('asks a cache, which answers in one piece, only where the slices show few endpoints', async () => {
    const { read, lists } = setUp()
    await read({ notOlderThan: '5', slices: [sliceOf(500)] })
    expect(lists.map(({ notOlderThan }) => notOlderThan)).toEqual(['5'])

    const large = setUp()
    const { podsVersion } = await large.read({ notOlderThan: '5', slices: [sliceOf(500), sliceOf(1)] })
    expect(large.lists.map(({ notOlderThan }) => notOlderThan)).toEqual([undefined])
    expect(podsVersion).toBeUndefined()
  })
})

/**
 * Returns the client of a cluster that was made from a snapshot that others share. The pod has one uid and
 * version in all of them, and another address in each.
 */
function clusterWith(number: number): ApiClient {
  const cluster = createMemoryCluster()
  cluster.put(NODES, makeNode())
  const pod = webPod(number)
  cluster.put(PODS, { ...pod, metadata: { ...pod.metadata, uid: 'one' } })
  return cluster.client
}

it('reads the pods of a cluster again, though those of another one have the same uids and versions', async () => {
  const clients = new Map([1, 2].map((number) => [`cluster-${number}`, clusterWith(number)]))
  const reader = new EndpointReader({
    cluster: 'home',
    clusterOf(name) {
      const client = clients.get(name) as ApiClient
      return { client, nodes: createNodeReader(client) }
    },
    signal: new AbortController().signal,
  })
  const addressesIn = async (cluster: string): Promise<(string | undefined)[]> => {
    const selection = { kind: 'managed', selector: [], namespace: 'shop', clusters: [cluster] } as const
    const [part] = await reader.read({ service: webService(), selection, slices: [] })
    return podsOfParts(part === undefined ? [] : [part]).map(({ status }) => status?.podIPs?.[0]?.ip)
  }

  expect(await addressesIn('cluster-1')).toEqual(['10.0.0.1'])
  expect(await addressesIn('cluster-2')).toEqual(['10.0.0.2'])
})
