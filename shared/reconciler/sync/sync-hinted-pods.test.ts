import { describe, expect, it } from 'vitest'
import { seal } from '../../changes/index.ts'
import { ENDPOINT_SLICES, EVENTS, PODS, SERVICES } from '../../kubernetes/index.ts'
import type { KeyMessage } from '../../queue/index.ts'
import { SILENT_LOG } from '../../telemetry/index.ts'
import {
  atRest,
  KEY,
  type MemoryCluster,
  type Settings,
  slicesWith,
  sync,
  webPod,
} from '../memory-cluster.fixtures.ts'
import { createReconciler } from '../reconcile-service.ts'
import {
  editSlice,
  failed,
  hintFor,
  nameOfLast,
  SETTINGS,
  withMetadata,
} from './sync-hinted-pods.fixtures.ts'

describe('a Service with more endpoints than it may have', () => {
  const limited: Settings = { ...SETTINGS, maximumEndpoints: 3 }
  const tooMany = { acted: { oversized: 1 } }

  it.each([
    ['a full sync', () => undefined],
    ['a hinted sync', (cluster: MemoryCluster) => hintFor(cluster, 'web-1')],
    [
      'a hinted sync that knows how many there are',
      (cluster: MemoryCluster) => ({ ...hintFor(cluster, 'web-1'), selected: 4 }),
    ],
  ])('is left as it is by %s, and says so', async (_what, hintOf) => {
    const cluster = await failed()
    cluster.put(PODS, webPod(4))
    const hint = hintOf(cluster)
    const before = cluster.all(ENDPOINT_SLICES)

    const outcome = await sync(cluster, hint === undefined ? {} : { hint }, { settings: limited })

    expect(outcome).toMatchObject({ created: 0, updated: 0, deleted: 0, guarded: tooMany })
    expect(cluster.all(ENDPOINT_SLICES)).toEqual(before)
    expect(cluster.all(EVENTS)).toMatchObject([
      { reason: 'TooManyEndpoints', message: expect.stringContaining('more than 3 endpoints') },
    ])
  })

  it('costs no full sync while the hint tells of fewer', async () => {
    const cluster = await failed(3, undefined, limited)
    const hint = { ...hintFor(cluster, 'web-1'), selected: 3 }
    const outcome = await sync(cluster, { hint }, { settings: limited })
    expect(outcome).toMatchObject({ updated: 1 })
    expect(outcome?.fullSyncReason).toBeUndefined()
  })
})

describe('a hinted sync', () => {
  it('reads and writes what the hint names, whatever else there is', async () => {
    const cluster = await failed(9)
    const hint = hintFor(cluster, 'web-1')
    const [name] = hint.slices

    const outcome = await sync(cluster, { hint }, { settings: SETTINGS })

    expect(outcome).toMatchObject({ updated: 1, attempts: 1 })
    expect(outcome?.fullSyncReason).toBeUndefined()
    expect(cluster.calls).toEqual([
      `get endpointslices ${name}`,
      'get services web',
      'get pods web-1',
      'get nodes node-1',
      `update endpointslices ${name}`,
    ])
  })

  it('writes nothing where all is as it should be', async () => {
    const cluster = await atRest(3, SETTINGS)
    await sync(cluster, { hint: hintFor(cluster, 'web-1') }, { settings: SETTINGS })
    expect(cluster.calls).toHaveLength(4)
  })

  it('believes what it reads of a pod, not that it changed', async () => {
    const cluster = await failed()
    const hint = hintFor(cluster, 'web-1')
    cluster.remove(PODS, 'web-1')
    await sync(cluster, { hint }, { settings: SETTINGS })
    expect(slicesWith(cluster, 'web-1')).toEqual([])
  })

  it('adds a pod', async () => {
    const cluster = await atRest(3, SETTINGS)
    cluster.put(PODS, webPod(4))
    const name = nameOfLast(cluster)
    const hint = { pods: ['web-4'], slices: [name] }
    const outcome = await sync(cluster, { hint }, { settings: SETTINGS })
    expect(outcome).toMatchObject({ updated: 1, attempts: 1 })
    expect(slicesWith(cluster, 'web-4')).toEqual([name])
  })

  it('is refused with an error, not with an empty list, when a read fails', async () => {
    const cluster = await failed()
    const hint = hintFor(cluster, 'web-1')
    cluster.before = (call) => {
      if (call === 'get pods web-1') throw new Error('the connection was cut')
    }
    await expect(sync(cluster, { hint }, { settings: SETTINGS })).rejects.toThrow('cut')
    expect(slicesWith(cluster, 'web-1')).toHaveLength(1)
  })
})

describe('hinted syncs by one process, one after the other', () => {
  /** Makes the message of a relay that verifies, with the versions that there are. */
  function reported(cluster: MemoryCluster, ...pods: string[]): KeyMessage {
    const hint = hintFor(cluster, ...pods)
    const versions = new Map(cluster.all(ENDPOINT_SLICES).map(({ metadata }) => [metadata?.name, metadata]))
    const sliceVersions = hint.slices.map((name) => versions.get(name)?.resourceVersion ?? '')
    const serviceVersion = cluster.all(SERVICES)[0]?.metadata?.resourceVersion ?? ''
    return {
      ...KEY,
      hint: { ...hint, sliceVersions },
      serviceVersion,
      nodesVersion: '1',
      relayVerifies: true,
    }
  }

  function process(cluster: MemoryCluster): (message: KeyMessage) => Promise<void> {
    const reconcile = createReconciler({
      clientOf: () => cluster.client,
      settings: SETTINGS,
      logger: SILENT_LOG,
      clock: { now: () => 0, pause: async () => {} },
    })
    const { signal } = new AbortController()
    return async (message) => {
      cluster.calls.length = 0
      await reconcile({ ...message, messageIds: [] }, { signal, sentTimestamp: 0, receiveCount: 1 })
    }
  }

  it('read only the Pods, where Service and slices are as the first one left them', async () => {
    const cluster = await failed()
    const handle = process(cluster)
    await handle(reported(cluster, 'web-1'))
    expect(cluster.calls).toHaveLength(5)
    const [name] = slicesWith(cluster, 'web-1')
    cluster.put(PODS, webPod(1))
    await handle(reported(cluster, 'web-1'))
    expect(cluster.calls).toEqual(['get pods web-1', `update endpointslices ${name}`])
  })

  it('read only the Pods after a full sync, too', async () => {
    const cluster = await failed()
    const handle = process(cluster)
    await handle({ ...KEY, nodesVersion: '1', relayVerifies: true })
    cluster.put(PODS, webPod(1))
    await handle(reported(cluster, 'web-1'))
    expect(cluster.calls.filter((call) => call.startsWith('get'))).toEqual(['get pods web-1'])
  })

  it('read the Pods again, and after the slices, where a slice was written since the relay saw it', async () => {
    const cluster = await failed()
    const [pod] = cluster.all(PODS).filter(({ metadata }) => metadata?.name === 'web-1')
    const message = { ...reported(cluster, 'web-1'), resourceVersion: pod?.metadata?.resourceVersion ?? '' }
    editSlice(cluster, (slice) => seal(withMetadata(slice, { annotations: { note: 'by somebody' } })))
    await process(cluster)(message)
    const atOnce = `get pods web-1 not older than ${message.resourceVersion}`
    expect(cluster.calls.filter((call) => call.startsWith('get pods'))).toEqual([atOnce, 'get pods web-1'])
  })
})
