import { describe, expect, it } from 'vitest'
import { type SyncHint, seal } from '../../changes/index.ts'
import { type EndpointSlice, LABEL_SERVICE_NAME, type Service } from '../../endpointslice/index.ts'
import { ENDPOINT_SLICES, PODS, SERVICES, TooLargeVersionError } from '../../kubernetes/index.ts'
import { parseSettings } from '../../settings/index.ts'
import {
  atRest,
  type MemoryCluster,
  type Settings,
  slicesWith,
  sync,
  webPod,
  webService,
} from '../memory-cluster.fixtures.ts'
import { SETTINGS, withMetadata } from './sync-hinted-pods.fixtures.ts'

/** All is allowed that an annotation can ask for. */
const CUSTOM: Settings = parseSettings({
  ...SETTINGS,
  mode: 'custom',
  allowedPods: '*/*=*/*',
  allowedNetworks: '*/*=0.0.0.0/0',
})
const custom = (annotations: Record<string, string> = {}): Service => {
  const { selector: _, ...spec } = webService().spec ?? {}
  return { ...webService({}, { 'sliceflow.dev/selector': 'app=web', ...annotations }), spec }
}

/** Pods in both of two slices that hold three Pods; these, the first and the last, have failed since. */
const PODS_OF_BOTH = ['web-1', 'web-3']
async function failed(
  settings: Settings,
  service?: Service,
): Promise<{ cluster: MemoryCluster; hint: SyncHint }> {
  const cluster = await atRest(3, settings, service)
  const slices = PODS_OF_BOTH.flatMap((pod) => slicesWith(cluster, pod))
  for (const number of [1, 3]) cluster.put(PODS, webPod(number, false))
  return { cluster, hint: { pods: PODS_OF_BOTH, slices: [...new Set(slices)] } }
}

/** Changes one of the two slices as if we had written it so. */
function rewrite(cluster: MemoryCluster, metadata: EndpointSlice['metadata']): void {
  const slice = cluster.all(ENDPOINT_SLICES).at(-1)
  if (slice === undefined) throw new Error('there is no slice')
  cluster.put(ENDPOINT_SLICES, seal(withMetadata(slice, metadata)))
}

describe('a hint that names two slices', () => {
  it('suffices where both are ours', async () => {
    const { cluster, hint } = await failed(SETTINGS)
    const outcome = await sync(cluster, { hint }, { settings: SETTINGS })
    expect(hint.slices).toHaveLength(2)
    expect([outcome?.fullSyncReason, outcome?.updated]).toEqual([undefined, 2])
  })

  it.each<[string, 'Slice' | 'Service', Partial<EndpointSlice['metadata']>]>([
    ['is of another Service', 'Slice', { labels: { [LABEL_SERVICE_NAME]: 'api' } }],
    ['is owned by an older Service of that name', 'Service', { ownerReferences: [] }],
  ])('does not suffice where one of them %s', async (_, fullSyncReason, metadata) => {
    const { cluster, hint } = await failed(SETTINGS)
    const [slice] = cluster.all(ENDPOINT_SLICES)
    const labels = metadata?.labels && { labels: { ...slice?.metadata?.labels, ...metadata.labels } }
    rewrite(cluster, { ...metadata, ...labels })
    expect((await sync(cluster, { hint }, { settings: SETTINGS }))?.fullSyncReason).toBe(fullSyncReason)
  })
})

describe('a hint does not suffice by what its Service asks for now, allowed as it is', () => {
  it.each<[string, Record<string, string>]>([
    ['pods of another cluster', { 'sliceflow.dev/cluster': 'green' }],
    [
      'pods of another cluster and namespace',
      { 'sliceflow.dev/cluster': 'green', 'sliceflow.dev/namespace': 'other' },
    ],
    ['addresses on another network', { 'sliceflow.dev/network': 'shop/fast' }],
  ])('%s', async (_, annotations) => {
    const { cluster, hint } = await failed(CUSTOM, custom())
    expect((await sync(cluster, { hint }, { settings: CUSTOM }))?.fullSyncReason).toBeUndefined()
    cluster.put(SERVICES, custom(annotations))
    expect((await sync(cluster, { hint }, { settings: CUSTOM }))?.fullSyncReason).toBe('Service')
  })

  it('nothing any more, as it is being deleted', async () => {
    const { cluster, hint } = await failed(SETTINGS)
    const deletionTimestamp = '2026-01-01T00:00:00Z'
    cluster.put(SERVICES, { ...webService(), metadata: { ...webService().metadata, deletionTimestamp } })
    expect((await sync(cluster, { hint }, { settings: SETTINGS }))?.fullSyncReason).toBe('Service')
  })

  it('both address types, in each of which its Pods count', async () => {
    const both = webService({ ipFamilies: ['IPv4', 'IPv6'] })
    for (const [maximumEndpoints, fullSyncReason] of [
      [5, 'Settings'],
      [6, undefined],
    ] as const) {
      const settings = { ...SETTINGS, maximumEndpoints }
      const { cluster, hint } = await failed(settings, both)
      expect((await sync(cluster, { hint: { ...hint, selected: 3 } }, { settings }))?.fullSyncReason).toBe(
        fullSyncReason,
      )
    }
  })
})

describe('the Pods of a hint', () => {
  /** Notes the version that is asked for with each read of Pods, and refuses reads that name one. */
  function refusing(cluster: MemoryCluster, error?: Error): (string | undefined)[] {
    const asked: (string | undefined)[] = []
    const { get } = cluster.client
    cluster.client.get = async (resource, ref, options) => {
      if (resource.plural !== PODS.plural) return get(resource, ref, options)
      asked.push(options?.notOlderThan)
      if (error !== undefined && options?.notOlderThan !== undefined) throw error
      return get(resource, ref, options)
    }
    return asked
  }
  const resourceVersion = '900000'

  it('are read as of the version that the message names, and verified as they are now', async () => {
    const { cluster, hint } = await failed(SETTINGS)
    const asked = refusing(cluster)
    await sync(cluster, { hint, resourceVersion }, { settings: SETTINGS })
    expect(asked.slice(0, 2)).toEqual([resourceVersion, resourceVersion])
  })

  it('are read as they are now where the server knows of no such version', async () => {
    const { cluster, hint } = await failed(SETTINGS)
    const asked = refusing(cluster, new TooLargeVersionError('too large', 504, {}))
    const outcome = await sync(cluster, { hint, resourceVersion }, { settings: SETTINGS })
    expect([outcome?.fullSyncReason, outcome?.updated]).toEqual([undefined, 2])
    expect(asked.slice(0, 4)).toEqual([resourceVersion, resourceVersion, undefined, undefined])
  })

  it('are an error where they cannot be read for another reason', async () => {
    const { cluster, hint } = await failed(SETTINGS)
    const asked = refusing(cluster, new Error('the connection was cut'))
    await expect(sync(cluster, { hint, resourceVersion }, { settings: SETTINGS })).rejects.toThrow('cut')
    expect(asked).toEqual([resourceVersion, resourceVersion])
  })

  it('need no Node where the Service selects none of them any more', async () => {
    const { cluster, hint } = await failed(SETTINGS)
    for (const number of [1, 3]) {
      const pod = webPod(number)
      cluster.put(PODS, { ...pod, metadata: { ...pod.metadata, labels: { app: 'other' } } })
    }
    cluster.put(PODS, webPod(4))
    const outcome = await sync(cluster, { hint: { ...hint, pods: ['web-1'] } }, { settings: SETTINGS })
    expect(outcome?.fullSyncReason).toBeUndefined()
    expect(cluster.calls.filter((call) => call.includes(' nodes'))).toEqual([])
    expect(slicesWith(cluster, 'web-1')).toEqual([])
  })
})
