import { describe, expect, it } from 'vitest'
import type { ReadAhead } from '../../changes/index.ts'
import type { EndpointSlice, Pod, Service } from '../../endpointslice/index.ts'
import {
  ENDPOINT_SLICES,
  KubernetesError,
  PODS,
  SERVICES,
  TooLargeVersionError,
} from '../../kubernetes/index.ts'
import {
  atRest,
  KEY,
  type MemoryCluster,
  startProcess,
  webPod,
  webService,
} from '../memory-cluster.fixtures.ts'
import { SETTINGS } from '../sync/sync-hinted-pods.fixtures.ts'
import { messageOf, processOf } from './pods-of-facts.fixtures.ts'

/** Returns what a relay says that has seen everything. */
function aheadOf(cluster: MemoryCluster): ReadAhead {
  const objects = [...cluster.all(ENDPOINT_SLICES), ...cluster.all(PODS)]
  const newest = String(Math.max(...objects.map(({ metadata }) => Number(metadata?.resourceVersion))))
  return { slicesVersion: newest, podsVersion: newest, selector: 'app in (web)', nodes: ['node-1'] }
}

const SEEN = { relayVerifies: true, nodesVersion: '1', history: 'h' } as const

/** A Service whose labels have changed since its slices were written. */
async function changed() {
  const cluster = await atRest(2, SETTINGS)
  const [service] = cluster.all<Service>(SERVICES)
  cluster.put(SERVICES, { ...service, metadata: { ...service?.metadata, labels: { tier: 'front' } } })
  const { handle } = startProcess(cluster, { settings: SETTINGS })
  return {
    cluster,
    /** Returns the calls but for the writes and what verifies them, without their versions. */
    async reads(more: Partial<ReadAhead> = {}, receiveCount = 1) {
      cluster.calls.length = 0
      const readAhead = { ...aheadOf(cluster), ...more }
      await handle({ ...KEY, ...SEEN, readAhead }, { receiveCount })
      return cluster.calls.filter((call) => /^(get|list)/.test(call))
    },
    slices: () => cluster.all<EndpointSlice>(ENDPOINT_SLICES),
  }
}

/** Has something happen once, just before a call is answered. */
function once(cluster: MemoryCluster, about: string, happen: () => void): void {
  cluster.before = (call) => {
    if (!call.startsWith(about)) return
    cluster.before = () => {}
    happen()
  }
}

/** Makes a cluster whose Service was just created, with a Pod. */
async function withoutSlices(): Promise<MemoryCluster> {
  const cluster = await atRest(1, SETTINGS)
  for (const { metadata } of cluster.all(ENDPOINT_SLICES))
    cluster.remove(ENDPOINT_SLICES, metadata?.name ?? '')
  return cluster
}

describe('the full sync of a message that says what may be read at once', () => {
  it('reads all in one round, from the cache of the API server', async () => {
    const { cluster, reads, slices } = await changed()
    const { podsVersion } = aheadOf(cluster)
    expect((await reads()).toSorted()).toEqual([
      'get nodes node-1',
      'get services web',
      `list endpointslices not older than ${podsVersion}`,
      `list pods not older than ${podsVersion}`,
    ])
    expect(slices().map(({ metadata }) => metadata?.labels?.tier)).toEqual(['front'])
  })

  it('reads the Service and the Pods again after slices that the relay had not seen', async () => {
    const { cluster, reads, slices } = await changed()
    once(cluster, 'list endpointslices', () => {
      const [slice] = slices()
      // Whoever wrote it may have read what the reads that were begun do not show.
      if (slice) cluster.put(ENDPOINT_SLICES, slice)
    })
    const calls = await reads()
    expect(calls.filter((call) => call === 'get services web')).toHaveLength(2)
  })

  it('lists no slices of a Service as the relay saw it without any', async () => {
    const cluster = await withoutSlices()
    const calls = await processOf(cluster)(messageOf(cluster))
    expect(calls).toEqual(['get services web', expect.stringMatching(/^create endpointslices/)])
  })

  it.each([
    ['the Service has changed since', (cluster) => cluster.put(SERVICES, webService({ clusterIP: 'None' }))],
    ['another process has created one', (cluster) => processOf(cluster)(messageOf(cluster))],
  ] satisfies [string, (cluster: MemoryCluster) => unknown][])('lists them where %s', async (_, happen) => {
    const cluster = await withoutSlices()
    const message = messageOf(cluster)
    await happen(cluster)
    const calls = await processOf(cluster)(message)
    expect(calls).toContainEqual(expect.stringMatching(/^list endpointslices/))
    expect(cluster.all(ENDPOINT_SLICES)).toHaveLength(1)
  })

  it('lists them before it writes where it has created one itself', async () => {
    const cluster = await withoutSlices()
    const message = messageOf(cluster)
    const handle = processOf(cluster)
    await handle(message)
    cluster.put(PODS, webPod(1, false))
    const calls = await handle(message)
    expect(calls.filter((call) => /^(create|update)/.test(call))).toEqual([
      expect.stringMatching(/^update endpointslices/),
    ])
  })

  it('reads Pods again that the cache has of a time before a slice was written', async () => {
    const { cluster, reads, slices } = await changed()
    const list = cluster.client.list
    cluster.client.list = async (resource, options) => {
      const read = await list(resource, options)
      return options?.notOlderThan !== undefined && resource.plural === PODS.plural
        ? { ...read, metadata: { resourceVersion: '1' } }
        : read
    }
    const calls = await reads()
    expect(calls.filter((call) => call.startsWith('list pods'))).toHaveLength(2)
    expect(slices()[0]?.endpoints).toHaveLength(2)
  })

  it('reads Pods in order that the Service takes by another selector', async () => {
    const { reads, slices } = await changed()
    const calls = await reads({ selector: 'app in (other)' })
    expect(calls.filter((call) => call.startsWith('list pods'))).toHaveLength(2)
    expect(slices()[0]?.endpoints).toHaveLength(2)
  })

  it('covers no message of another change that was sent before it, as the cache may not have that yet', async () => {
    const cluster = await atRest(2, SETTINGS)
    const { handle } = startProcess(cluster, { settings: SETTINGS, now: 100_000 })
    const readAhead = { ...aheadOf(cluster), selector: 'app in (other)' }
    await handle({ ...KEY, ...SEEN, readAhead })
    for (const [sentTimestamp, isSynced] of [
      [90_000, true],
      [90_001, false],
    ] as const) {
      cluster.calls.length = 0
      await handle({ ...KEY, ...SEEN }, { sentTimestamp })
      expect(cluster.calls.length > 0).toBe(isSynced)
    }
  })

  it('reads in order, and the newest, once it has come again, and where the relay does not verify', async () => {
    const inOrder = ['list endpointslices', 'get services web', 'list pods', 'get nodes node-1']
    const again = await changed()
    expect(await again.reads({}, 2)).toEqual(inOrder)
    const { cluster } = await changed()
    cluster.calls.length = 0
    const { handle } = startProcess(cluster, { settings: SETTINGS })
    await handle({ ...KEY, readAhead: aheadOf(cluster), history: 'h' })
    expect(cluster.calls.slice(0, inOrder.length)).toEqual(inOrder)
  })

  it.each([
    ['list endpointslices', () => new TooLargeVersionError('restored', 504, {})],
    ['get services web', () => new KubernetesError('busy')],
    ['list pods', () => new TooLargeVersionError('restored', 504, {})],
    ['list pods', () => new KubernetesError('busy')],
    ['get nodes node-1', () => new KubernetesError('busy')],
  ])('does not fail where “%s” fails once', async (call, error) => {
    const { cluster, reads, slices } = await changed()
    cluster.put<Pod>(PODS, webPod(2, false))
    once(cluster, call, () => {
      throw error()
    })
    await reads()
    const ready = slices().flatMap(({ endpoints }) => endpoints?.map(({ conditions }) => conditions?.ready))
    expect(ready.toSorted()).toEqual([false, true])
  })
})
