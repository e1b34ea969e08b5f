import { describe, expect, it } from 'vitest'
import { makeNode } from '../../functions/demo/world/index.ts'
import { silentLog } from '../../test/end-to-end/silent-log.ts'
import { type Hint, seal } from '../changes/index.ts'
import { type EndpointSlice, LABEL_MANAGED_BY, type Service } from '../endpointslice/index.ts'
import { ENDPOINT_SLICES, EVENTS, NODES, PODS, SERVICES } from '../kubernetes/index.ts'
import type { KeyMessage } from '../queue/index.ts'
import { parseSettings } from '../settings/index.ts'
import { sealNotes } from './guards/index.ts'
import {
  atRest,
  KEY,
  look,
  type MemoryCluster,
  type Settings,
  slicesWith,
  webPod,
  webService,
} from './memory-cluster.fixtures.ts'
import { createReconciler } from './reconcile-service.ts'
import type { Doubt } from './sync-hinted-pods.ts'

const SETTINGS: Settings = parseSettings({
  mode: 'replace',
  managedBy: 'sliceflow.dev',
  maxEndpointsPerSlice: 2,
})
/** Later than any. */
const SEES_ALL = '999999'

/** As a relay that sees everything makes it. */
function hintFor(cluster: MemoryCluster, ...pods: string[]): Hint {
  const slices = new Set(pods.flatMap((pod) => slicesWith(cluster, pod)))
  return { pods, slices: [...slices], slicesVersion: SEES_ALL }
}

/** With room for one more. */
const lastSlice = (cluster: MemoryCluster): EndpointSlice =>
  cluster.all(ENDPOINT_SLICES).find(({ endpoints }) => endpoints?.length === 1) as EndpointSlice

const nameOfLast = (cluster: MemoryCluster): string => lastSlice(cluster).metadata?.name ?? ''

/** `web-1` has failed since the Service was at rest. */
async function failed(pods = 3, service?: Service): Promise<MemoryCluster> {
  const cluster = await atRest(pods, SETTINGS, service)
  cluster.put(PODS, webPod(1, false))
  return cluster
}

const editSlice = (cluster: MemoryCluster, edit: (slice: EndpointSlice) => EndpointSlice): void => {
  const [name] = slicesWith(cluster, 'web-1')
  const slice = cluster.all(ENDPOINT_SLICES).find(({ metadata }) => metadata?.name === name)
  cluster.put(ENDPOINT_SLICES, edit(slice as EndpointSlice))
}

const withMetadata = (slice: EndpointSlice, metadata: Partial<EndpointSlice['metadata']>): EndpointSlice => ({
  ...slice,
  metadata: { ...slice.metadata, ...metadata },
})

describe('a Service with more endpoints than it may have', () => {
  const limited: Settings = { ...SETTINGS, maximumEndpoints: 3 }
  const tooMany = { isHeld: false, isOversized: true }

  it.each([
    ['a whole look', () => undefined],
    ['a hinted look', (cluster: MemoryCluster) => hintFor(cluster, 'web-1')],
    [
      'a hinted look that knows how many there are',
      (cluster: MemoryCluster) => ({ ...hintFor(cluster, 'web-1'), selected: 4 }),
    ],
  ])('is left as it is by %s, and says so', async (_what, hintOf) => {
    const cluster = await failed()
    cluster.put(PODS, webPod(4))
    const hint = hintOf(cluster)
    const before = cluster.all(ENDPOINT_SLICES)

    const outcome = await look(cluster, hint === undefined ? {} : { hint }, { settings: limited })

    expect(outcome).toMatchObject({ created: 0, updated: 0, deleted: 0, guarded: tooMany })
    expect(cluster.all(ENDPOINT_SLICES)).toEqual(before)
    expect(cluster.all(EVENTS)).toMatchObject([
      { reason: 'TooManyEndpoints', message: expect.stringContaining('more than 3 endpoints') },
    ])
  })

  it('is written again once it selects fewer', async () => {
    const cluster = await failed()
    cluster.put(PODS, webPod(4))
    await look(cluster, {}, { settings: limited })
    cluster.remove(PODS, 'web-4')
    expect(await look(cluster, {}, { settings: limited })).toMatchObject({ updated: 1 })
  })

  it('costs no whole look while the hint tells of fewer', async () => {
    const cluster = await failed()
    const hint = { ...hintFor(cluster, 'web-1'), selected: 3 }
    const outcome = await look(cluster, { hint }, { settings: limited })
    expect(outcome).toMatchObject({ updated: 1 })
    expect(outcome?.doubt).toBeUndefined()
  })
})

describe('a look where a hint says', () => {
  it('reads and writes what the hint names, and verifies it, whatever else there is', async () => {
    const cluster = await failed(9)
    const hint = hintFor(cluster, 'web-1')
    const [name] = hint.slices

    const outcome = await look(cluster, { hint }, { settings: SETTINGS })

    expect(outcome).toMatchObject({ updated: 1, attempts: 1 })
    expect(outcome?.doubt).toBeUndefined()
    expect(cluster.calls).toEqual([
      `get endpointslices ${name}`,
      'get services web',
      'get pods web-1',
      'get nodes node-1',
      `update endpointslices ${name}`,
      'get services web',
      'get pods web-1',
    ])
  })

  it('writes nothing and verifies nothing where all is as it should be', async () => {
    const cluster = await atRest(3, SETTINGS)
    await look(cluster, { hint: hintFor(cluster, 'web-1') }, { settings: SETTINGS })
    expect(cluster.calls).toHaveLength(4)
  })

  it('believes what it reads of a pod, not that it changed', async () => {
    const cluster = await failed()
    const hint = hintFor(cluster, 'web-1')
    cluster.remove(PODS, 'web-1')
    await look(cluster, { hint }, { settings: SETTINGS })
    expect(slicesWith(cluster, 'web-1')).toEqual([])
  })

  it('takes out a pod that the Service selects no more', async () => {
    const cluster = await atRest(3, SETTINGS)
    const pod = webPod(1)
    cluster.put(PODS, { ...pod, metadata: { ...pod.metadata, labels: { app: 'other' } } })
    const outcome = await look(cluster, { hint: hintFor(cluster, 'web-1') }, { settings: SETTINGS })
    expect(outcome?.doubt).toBeUndefined()
    expect(slicesWith(cluster, 'web-1')).toEqual([])
  })

  it('adds a pod, and asks which slices were written since the relay saw them', async () => {
    const cluster = await atRest(3, SETTINGS)
    cluster.put(PODS, webPod(4))
    const hint = { pods: ['web-4'], slices: [nameOfLast(cluster)], slicesVersion: SEES_ALL }
    const outcome = await look(cluster, { hint }, { settings: SETTINGS })
    expect(outcome).toMatchObject({ updated: 1, attempts: 1 })
    expect(cluster.calls.slice(-3)).toEqual(['list endpointslices', 'get services web', 'get pods web-4'])
  })

  it('looks into another slice, too, when that holds the pod by now', async () => {
    const cluster = await atRest(3, SETTINGS)
    // The relay has seen none of the slices that there are, and names the wrong one.
    const hint = { pods: ['web-1'], slices: [nameOfLast(cluster)], slicesVersion: '1' }
    const outcome = await look(cluster, { hint }, { settings: SETTINGS })
    expect(outcome).toMatchObject({ attempts: 2 })
    expect(outcome?.doubt).toBeUndefined()
    expect(slicesWith(cluster, 'web-1')).toHaveLength(1)
  })

  it('looks for a pod that is gone and stands in none of the slices, though there is nothing to write there', async () => {
    const cluster = await atRest(3, SETTINGS)
    cluster.remove(PODS, 'web-1')
    const hint = { pods: ['web-1'], slices: [nameOfLast(cluster)], slicesVersion: '1' }
    const outcome = await look(cluster, { hint }, { settings: SETTINGS })
    expect(outcome).toMatchObject({ updated: 1, attempts: 2 })
    expect(slicesWith(cluster, 'web-1')).toEqual([])
  })

  it('looks into the slices of the other address type that the relay had not seen', async () => {
    const service = webService({ ipFamilies: ['IPv4', 'IPv6'] })
    const added = await atRest(3, SETTINGS, service)
    // The relay has seen the pod in one address type only, and room in another slice.
    const slices = added.all(ENDPOINT_SLICES)
    const nameOf = (type: string, size: number): string =>
      slices.find(({ addressType, endpoints }) => addressType === type && endpoints?.length === size)
        ?.metadata?.name ?? ''
    const hint = { pods: ['web-1'], slices: [nameOf('IPv4', 2), nameOf('IPv6', 1)], slicesVersion: '1' }
    await look(added, { hint }, { settings: SETTINGS })
    expect(slicesWith(added, 'web-1')).toHaveLength(2)

    const gone = await atRest(3, SETTINGS, service)
    gone.remove(PODS, 'web-1')
    const one = { pods: ['web-1'], slices: [nameOf('IPv4', 2)], slicesVersion: '1' }
    await look(gone, { hint: one }, { settings: SETTINGS })
    expect(slicesWith(gone, 'web-1')).toEqual([])
  })

  it('looks again where a pod changes before it is verified', async () => {
    const cluster = await failed()
    const hint = hintFor(cluster, 'web-1')
    let isChanged = false
    cluster.before = (call) => {
      if (!call.startsWith('update') || isChanged) return
      isChanged = true
      cluster.put(PODS, webPod(1))
    }
    const outcome = await look(cluster, { hint }, { settings: SETTINGS })
    expect(outcome).toMatchObject({ updated: 2, attempts: 2 })
    const [slice] = cluster.all(ENDPOINT_SLICES)
    expect(slice?.endpoints?.[0]?.conditions?.ready).toBe(true)
  })

  it('looks again where the Service changes before it is verified', async () => {
    const cluster = await failed()
    const hint = hintFor(cluster, 'web-1')
    cluster.before = (call) => {
      if (call.startsWith('update')) cluster.put(SERVICES, webService({ publishNotReadyAddresses: true }))
    }
    await look(cluster, { hint }, { settings: SETTINGS })
    const [slice] = cluster.all(ENDPOINT_SLICES)
    expect(slice?.endpoints?.[0]?.conditions?.ready).toBe(true)
  })

  it('is refused with an error, not with an empty list, when a read fails', async () => {
    const cluster = await failed()
    const hint = hintFor(cluster, 'web-1')
    cluster.before = (call) => {
      if (call === 'get pods web-1') throw new Error('the connection was cut')
    }
    await expect(look(cluster, { hint }, { settings: SETTINGS })).rejects.toThrow('cut')
    expect(slicesWith(cluster, 'web-1')).toHaveLength(1)
  })
})

describe('the whole Service is looked at', () => {
  interface Case {
    readonly doubt: Doubt
    readonly service?: Service
    readonly settings?: Settings
    readonly receiveCount?: number
    readonly change?: (cluster: MemoryCluster) => void
    readonly hint?: (cluster: MemoryCluster) => Hint | undefined
  }
  const FOREIGN = { [LABEL_MANAGED_BY]: 'somebody', 'kubernetes.io/service-name': 'web' }
  const cases: Readonly<Record<string, Case>> = {
    'there is no hint': { doubt: 'NoHint', hint: () => undefined },
    'the message was received before': { doubt: 'NoHint', receiveCount: 2 },
    'the packing compacts': { doubt: 'Settings', settings: { ...SETTINGS, packing: 'compact' } },
    'removals are limited': { doubt: 'Settings', settings: { ...SETTINGS, maximumRemoval: 0.5 } },
    'endpoints are limited, and the hint tells of no number': {
      doubt: 'Settings',
      settings: { ...SETTINGS, maximumEndpoints: 100 },
    },
    'the Service selects more Pods than there may be endpoints': {
      doubt: 'Settings',
      settings: { ...SETTINGS, maximumEndpoints: 100 },
      hint: (cluster) => ({ ...hintFor(cluster, 'web-1'), selected: 101 }),
    },
    'a slice is gone': {
      doubt: 'Slice',
      change: (cluster) => cluster.remove(ENDPOINT_SLICES, slicesWith(cluster, 'web-1')[0] ?? ''),
    },
    'a slice was edited': {
      doubt: 'Slice',
      change: (cluster) =>
        editSlice(cluster, (slice) => ({ ...slice, endpoints: slice.endpoints?.slice(0, 1) })),
    },
    'a slice was taken over': {
      doubt: 'Slice',
      change: (cluster) => editSlice(cluster, (slice) => seal(withMetadata(slice, { labels: FOREIGN }))),
    },
    'a slice is being deleted': {
      doubt: 'Slice',
      change: (cluster) =>
        editSlice(cluster, (slice) => withMetadata(slice, { deletionTimestamp: '2026-01-01T00:00:00Z' })),
    },
    'a slice is empty': {
      doubt: 'Slice',
      change: (cluster) => editSlice(cluster, (slice) => seal({ ...slice, endpoints: [] })),
    },
    'the guards have noted something on a slice': {
      doubt: 'Slice',
      change: (cluster) =>
        editSlice(cluster, (slice) =>
          sealNotes(
            withMetadata(slice, {
              annotations: {
                ...slice.metadata?.annotations,
                'sliceflow.dev/held-since': '1970-01-01T00:00:00Z',
              },
            }),
          ),
        ),
    },
    'the Service is gone': { doubt: 'Service', change: (cluster) => cluster.remove(SERVICES, 'web') },
    'the Service is another one of that name': {
      doubt: 'Service',
      change(cluster) {
        cluster.remove(SERVICES, 'web')
        cluster.put(SERVICES, webService())
      },
    },
    'the Service is not ours any more': {
      doubt: 'Service',
      change(cluster) {
        const { selector: _, ...spec } = webService().spec ?? {}
        cluster.put(SERVICES, { ...webService(), spec })
      },
    },
    'its pods are those of another cluster': {
      doubt: 'Service',
      settings: { ...SETTINGS, mode: 'custom' },
      service: webService(),
      change: (cluster) =>
        cluster.put(SERVICES, {
          ...webService({}, { 'sliceflow.dev/selector': 'app=web', 'sliceflow.dev/cluster': 'green' }),
          spec: { clusterIP: '10.1.0.1', ipFamilies: ['IPv4'], ports: webService().spec?.ports },
        }),
    },
    'the Service asks for topology hints': {
      doubt: 'TopologyHints',
      change: (cluster) =>
        cluster.put(SERVICES, webService({}, { 'service.kubernetes.io/topology-mode': 'Auto' })),
    },
    'a slice would have to be made': {
      doubt: 'Packing',
      change: (cluster) => cluster.put(PODS, webPod(4)),
      hint: (cluster) => ({ ...hintFor(cluster, 'web-1'), pods: ['web-4'] }),
    },
    'a slice would be left empty': {
      doubt: 'Packing',
      change: (cluster) => cluster.remove(PODS, 'web-3'),
      hint: (cluster) => hintFor(cluster, 'web-3'),
    },
    'the Service has lost an address type': {
      doubt: 'Packing',
      change: (cluster) => cluster.put(SERVICES, webService({ ipFamilies: ['IPv6'] })),
    },
    'it would be written in parts': {
      doubt: 'Packing',
      settings: { ...SETTINGS, maximumWrites: 1 },
      change: (cluster) => cluster.put(PODS, webPod(3, false)),
      hint: (cluster) => hintFor(cluster, 'web-1', 'web-3'),
    },
  }

  it.each(Object.entries(cases))('when %s', async (_, { doubt, service, change, ...given }) => {
    const cluster = await failed(3, service)
    const hint = (given.hint ?? ((seen: MemoryCluster) => hintFor(seen, 'web-1')))(cluster)
    change?.(cluster)
    const settings = given.settings ?? SETTINGS
    const { receiveCount } = given
    const outcome = await look(cluster, { hint }, { settings, ...(receiveCount && { receiveCount }) })
    expect(outcome?.doubt).toBe(doubt)
    expect(cluster.calls).toContain('list endpointslices')
  })

  it('when one slice was written and another one conflicts, as what was written might stand elsewhere', async () => {
    const cluster = await failed()
    cluster.put(PODS, webPod(4))
    const hint = {
      ...hintFor(cluster, 'web-1', 'web-3'),
      pods: ['web-1', 'web-4'],
    }
    let isMet = false
    cluster.before = (call) => {
      if (call !== `update endpointslices ${slicesWith(cluster, 'web-1')[0]}` || isMet) return
      isMet = true
      editSlice(cluster, (slice) => slice)
    }
    const outcome = await look(cluster, { hint }, { settings: SETTINGS })
    expect(outcome).toMatchObject({ doubt: 'Contention', attempts: 2 })
    expect(cluster.calls).toContain('list pods')
  })

  it('when more slices were written meanwhile than are worth reading one by one', async () => {
    const cluster = await atRest(12, SETTINGS)
    const slices = slicesWith(cluster, 'web-1')
    // By their names the first two share a slice.
    cluster.remove(PODS, 'web-10')
    cluster.put(PODS, webPod(13))
    // The relay has seen none of the slices as they are.
    const hint = { pods: ['web-10', 'web-13'], slices, slicesVersion: '1' }
    const outcome = await look(cluster, { hint }, { settings: SETTINGS })
    expect(outcome?.doubt).toBe('Contention')
    expect(slicesWith(cluster, 'web-13')).toHaveLength(1)
  })

  it('when one of several messages that come at once was received before', async () => {
    const cluster = await failed()
    const doubts: (Doubt | undefined)[] = []
    const reconcile = createReconciler({
      clientOf: () => cluster.client,
      settings: SETTINGS,
      logger: silentLog,
      onReconciled: ({ doubt }) => doubts.push(doubt),
    })
    const message = { ...KEY, hint: hintFor(cluster, 'web-1'), messageIds: [] }
    const { signal } = new AbortController()
    const handle = (receiveCount: number) => reconcile(message, { signal, sentTimestamp: 0, receiveCount })
    await Promise.all([handle(1), handle(2), handle(1)])
    expect(doubts).toEqual([undefined, 'NoHint'])
  })

  it('and one of its nodes is read, not all', async () => {
    const cluster = await failed()
    for (let number = 2; number < 400; number++) cluster.put(NODES, makeNode({ name: `node-${number}` }))
    await look(cluster, {}, { settings: SETTINGS })
    expect(cluster.calls.filter((call) => call.includes('nodes'))).toEqual(['get nodes node-1'])
  })
})

describe('hinted looks by one process, one after the other', () => {
  /** As a relay that verifies sends it, by the versions that there are. */
  function told(cluster: MemoryCluster, ...pods: string[]): KeyMessage {
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
      logger: silentLog,
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
    await handle(told(cluster, 'web-1'))
    expect(cluster.calls).toHaveLength(5)
    const [name] = slicesWith(cluster, 'web-1')
    cluster.put(PODS, webPod(1))
    await handle(told(cluster, 'web-1'))
    expect(cluster.calls).toEqual(['get pods web-1', `update endpointslices ${name}`])
  })

  it('read only the Pods after a look at the whole Service, too', async () => {
    const cluster = await failed()
    const handle = process(cluster)
    await handle({ ...KEY, nodesVersion: '1', relayVerifies: true })
    cluster.put(PODS, webPod(1))
    await handle(told(cluster, 'web-1'))
    expect(cluster.calls.filter((call) => call.startsWith('get'))).toEqual(['get pods web-1'])
  })

  it('read again what somebody wrote meanwhile whom the relay has not seen yet', async () => {
    const cluster = await failed()
    const handle = process(cluster)
    await handle(told(cluster, 'web-1'))
    cluster.put(PODS, webPod(1))
    const late = told(cluster, 'web-1')
    editSlice(cluster, (slice) => seal(withMetadata(slice, { annotations: { note: 'by somebody' } })))
    await handle(late)
    const [name] = slicesWith(cluster, 'web-1')
    expect(cluster.calls).toEqual([
      'get pods web-1',
      `update endpointslices ${name}`,
      `get endpointslices ${name}`,
      'get services web',
      'get pods web-1',
      `update endpointslices ${name}`,
    ])
  })

  it('read a Service again that has changed', async () => {
    const cluster = await failed()
    const handle = process(cluster)
    await handle(told(cluster, 'web-1'))
    cluster.put(SERVICES, webService({ publishNotReadyAddresses: true }))
    await handle(told(cluster, 'web-1'))
    expect(cluster.calls).toContain('get services web')
  })
})
