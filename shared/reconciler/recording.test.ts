import { describe, expect, it } from 'vitest'
import type { SyncHint } from '../changes/index.ts'
import type { Endpoint, EndpointSlice } from '../endpointslice/index.ts'
import { ENDPOINT_SLICES, PODS, SERVICES } from '../kubernetes/index.ts'
import { endpointsAfter, type RecordingLine, recordedEndpoint, type WriteRecord } from '../recording/index.ts'
import { createMemoryRecorder } from '../recording/writing/memory-sink.fixtures.ts'
import { parseSettings } from '../settings/index.ts'
import {
  atRest,
  type MemoryCluster,
  startProcess,
  sync,
  webPod,
  webService,
} from './memory-cluster.fixtures.ts'

const SETTINGS = parseSettings({ mode: 'replace' })

/** Makes a recording of one cluster, and syncs that are recorded there. */
function recording(cluster: MemoryCluster, given: Parameters<typeof parseSettings>[0] = {}) {
  const { sink, recorder } = createMemoryRecorder()
  const settings = parseSettings({ mode: 'replace', ...given })
  return {
    sink,
    sync: (message = {}) => sync(cluster, message, { settings, recorder }),
    writes: () => sink.records().filter((record): record is WriteRecord => record.kind === 'write'),
  }
}

/** Returns what brought the writes: the ids of messages, and when the latest of them was sent. */
const origins = (records: readonly RecordingLine[]): unknown[] =>
  records.flatMap((record) =>
    record.kind === 'write' ? [[record.message?.ids, record.message?.sentAt]] : [],
  )

const causes = (writes: readonly WriteRecord[]): unknown[][] =>
  writes.flatMap(({ went }) =>
    went.map(({ endpoint, cause, to }) => [
      endpoint.targetRef?.name,
      cause,
      ...(to === undefined ? [] : [to]),
    ]),
  )

const onlySlice = (cluster: MemoryCluster): EndpointSlice => {
  const [slice] = cluster.all(ENDPOINT_SLICES)
  if (slice === undefined) throw new Error('there is no slice')
  return slice
}

function hintOf(cluster: MemoryCluster, pods: readonly string[]): SyncHint {
  const { name = '' } = onlySlice(cluster).metadata ?? {}
  return { pods, slices: [name] }
}

describe('the recording of a sync', () => {
  it('names all messages that came for one sync while another was under way', async () => {
    const cluster = await atRest(1, SETTINGS)
    const { sink, recorder } = createMemoryRecorder()
    const { handle } = startProcess(cluster, { settings: SETTINGS, recorder })
    for (const number of [2, 3, 4]) cluster.put(PODS, webPod(number))
    const later = [2, 3, 4].map((number) =>
      handle(
        { messageIds: [`m${number}`], hint: hintOf(cluster, [`web-${number}`]) },
        { sentTimestamp: number * 1_000 },
      ),
    )
    await Promise.all(later)
    expect(origins(sink.records())).toEqual([
      [['m2'], new Date(2_000).toISOString()],
      [['m3', 'm4'], new Date(4_000).toISOString()],
    ])
  })

  it('tells of a slice that is made, with the Pods behind it and the message', async () => {
    const cluster = await atRest(0, SETTINGS)
    for (const slice of cluster.all(ENDPOINT_SLICES))
      cluster.remove(ENDPOINT_SLICES, slice.metadata?.name ?? '')
    const pod = cluster.put(PODS, webPod(1))
    const { sync, writes } = recording(cluster)

    await sync({ triggerTime: '2026-01-01T12:00:00Z' })

    const { metadata, endpoints = [], ports } = onlySlice(cluster)
    expect(writes()).toEqual([
      {
        ...{ v: 1, kind: 'write', time: expect.any(String), worker: 'w1' },
        ...{ cluster: 'blue', namespace: 'shop', service: 'web' },
        slice: metadata?.name,
        action: 'create',
        addressType: 'IPv4',
        versionAfter: metadata?.resourceVersion,
        ports,
        came: endpoints.map(recordedEndpoint),
        went: [],
        changed: [],
        pods: { 'web-1': pod.metadata?.resourceVersion },
        trigger: '2026-01-01T12:00:00Z',
        message: { ids: [], sentAt: '1970-01-01T00:00:00.000Z', receiveCount: 1 },
        sync: 'whole',
      },
    ])
  })

  it('tells which Pod became unready, from where only that Pod was synced', async () => {
    const cluster = await atRest(3, SETTINGS)
    const before = onlySlice(cluster)
    const pod = cluster.put(PODS, webPod(2, false))
    const { sync, sink, writes } = recording(cluster)

    await sync({ hint: hintOf(cluster, ['web-2']) })

    expect(sink.records().map(({ kind }) => kind)).toEqual(['start', 'snapshot', 'write'])
    const [write] = writes()
    expect(write).toMatchObject({
      sync: 'hint',
      versionBefore: before.metadata?.resourceVersion,
      came: [],
      went: [],
      changed: [
        { target: 'web-2', from: { conditions: { ready: true } }, to: { conditions: { ready: false } } },
      ],
      pods: { 'web-2': pod.metadata?.resourceVersion },
    })
  })

  it.each<[cause: string, change: (cluster: MemoryCluster) => void]>([
    ['Deleted', (cluster) => cluster.remove(PODS, 'web-2')],
    ['NotSelected', (cluster) => relabel(cluster)],
    ['Replaced', (cluster) => replace(cluster)],
    ['Terminal', (cluster) => setStatus(cluster, { phase: 'Failed' })],
    ['AddressChanged', (cluster) => setStatus(cluster, { podIP: '10.0.0.9', podIPs: [{ ip: '10.0.0.9' }] })],
    ['NoAddress', (cluster) => setStatus(cluster, { podIP: '', podIPs: [] })],
    [
      'RefusedAddress',
      (cluster) => setStatus(cluster, { podIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }] }),
    ],
  ])('tells of an endpoint that went by the word %s why', async (cause, change) => {
    const cluster = await atRest(3, SETTINGS)
    change(cluster)
    const { sync, writes } = recording(cluster)

    await sync({ hint: hintOf(cluster, ['web-2']) })

    expect(causes(writes())).toEqual([['web-2', cause]])
  })

  it('does not tell a deleted Pod from one that is not selected where it has only listed those that are', async () => {
    const cluster = await atRest(3, SETTINGS)
    cluster.remove(PODS, 'web-2')
    const { sync, writes } = recording(cluster)

    await sync()

    expect(causes(writes())).toEqual([['web-2', 'Gone']])
  })

  it('tells to which slice an endpoint was moved', async () => {
    const cluster = await atRest(4, parseSettings({ mode: 'replace', maxEndpointsPerSlice: 2 }))
    for (const { endpoints } of cluster.all(ENDPOINT_SLICES))
      cluster.remove(PODS, endpoints?.[0]?.targetRef?.name ?? '')
    const { sync, writes } = recording(cluster, { maxEndpointsPerSlice: 2, packing: 'compact' })

    await sync()

    const [slice] = cluster.all(ENDPOINT_SLICES).map(({ metadata }) => metadata?.name)
    expect(cluster.all(ENDPOINT_SLICES)).toHaveLength(1)
    expect(causes(writes())).toContainEqual([expect.any(String), 'Moved', slice])
  })

  it.each<[string, string, (cluster: MemoryCluster) => void]>([
    ['is gone', 'ServiceDeleted', (cluster) => cluster.remove(SERVICES, 'web')],
    [
      'is not managed any more',
      'ServiceUnmanaged',
      (cluster) => void cluster.put(SERVICES, webService({ selector: undefined, type: 'ExternalName' })),
    ],
    [
      'has no addresses of the type any more',
      'AddressTypeDropped',
      (cluster) => void cluster.put(SERVICES, webService({ ipFamilies: ['IPv6'], clusterIP: 'fd00::1' })),
    ],
    [
      'selects other Pods',
      'Gone',
      (cluster) => void cluster.put(SERVICES, webService({ selector: { app: 'other' } })),
    ],
  ])('tells that a Service %s', async (_, cause, change) => {
    const cluster = await atRest(1, SETTINGS)
    change(cluster)
    const { sync, writes } = recording(cluster, { leftovers: 'delete' })

    await sync()

    expect(causes(writes()).filter(([name]) => name === 'web-1')).toContainEqual(['web-1', cause])
  })

  it('tells nothing of a write that was refused', async () => {
    const cluster = await atRest(3, SETTINGS)
    cluster.put(PODS, webPod(2, false))
    const { sync, writes } = recording(cluster)
    const edited = onlySlice(cluster)
    cluster.before = (call) => {
      if (!call.startsWith('update endpointslices')) return
      cluster.before = () => {}
      cluster.put(ENDPOINT_SLICES, edited)
    }

    await sync({ hint: hintOf(cluster, ['web-2']) })

    const written = writes()
    expect(written).toHaveLength(1)
    expect(written[0]?.versionAfter).toBe(onlySlice(cluster).metadata?.resourceVersion)
  })

  it('gives exactly the endpoints of the slices, whatever others do to them meanwhile', async () => {
    const cluster = await atRest(5, SETTINGS)
    const { sync, sink } = recording(cluster)
    const steps: (() => void)[] = [
      () => cluster.put(PODS, webPod(2, false)),
      () => cluster.remove(PODS, 'web-3'),
      () => cluster.put(ENDPOINT_SLICES, { ...onlySlice(cluster), endpoints: [{ addresses: ['10.9.9.9'] }] }),
      () => cluster.put(PODS, webPod(7)),
      () => cluster.remove(ENDPOINT_SLICES, onlySlice(cluster).metadata?.name ?? ''),
      () => cluster.put(PODS, webPod(8)),
    ]
    for (const step of steps) {
      step()
      await sync()
      expect(replay(sink.records())).toEqual(published(cluster))
    }
  })
})

const sorted = (endpoints: readonly Endpoint[]): string[] =>
  endpoints.map((one) => JSON.stringify(recordedEndpoint(one))).sort()

const published = (cluster: MemoryCluster): Record<string, string[]> =>
  Object.fromEntries(
    cluster.all(ENDPOINT_SLICES).map(({ metadata, endpoints = [] }) => [metadata?.name, sorted(endpoints)]),
  )

function replay(records: readonly RecordingLine[]): Record<string, string[]> {
  const slices = new Map<string, readonly Endpoint[]>()
  for (const record of records) {
    if (record.kind === 'snapshot') slices.set(record.slice, record.endpoints)
    else if (record.kind === 'gone') slices.delete(record.slice)
    else if (record.kind === 'write' && record.action === 'delete') slices.delete(record.slice)
    else if (record.kind === 'write')
      slices.set(record.slice, endpointsAfter(slices.get(record.slice) ?? [], record))
  }
  return Object.fromEntries([...slices].map(([name, endpoints]) => [name, sorted(endpoints)]))
}

function relabel(cluster: MemoryCluster): void {
  const { metadata, ...pod } = webPod(2)
  cluster.put(PODS, { ...pod, metadata: { ...metadata, labels: { app: 'other' } } })
}

function replace(cluster: MemoryCluster): void {
  cluster.remove(PODS, 'web-2')
  setStatus(cluster, { podIP: '10.0.0.9', podIPs: [{ ip: '10.0.0.9' }] })
}

function setStatus(cluster: MemoryCluster, status: object): void {
  const pod = webPod(2)
  cluster.put(PODS, { ...pod, status: { ...pod.status, ...status } })
}
