import { describe, expect, it } from 'vitest'
import { type SyncHint, seal, sealedBy } from '../../changes/index.ts'
import { LABEL_MANAGED_BY, type Service } from '../../endpointslice/index.ts'
import { ENDPOINT_SLICES, PODS, SERVICES } from '../../kubernetes/index.ts'
import { SILENT_LOG } from '../../telemetry/index.ts'
import { sealNotes } from '../guards/published/slice-notes.ts'
import {
  KEY,
  type MemoryCluster,
  type Settings,
  slicesWith,
  sync,
  webPod,
  webService,
} from '../memory-cluster.fixtures.ts'
import { createReconciler } from '../reconcile-service.ts'
import { editSlice, failed, hintFor, SETTINGS, withMetadata } from './sync-hinted-pods.fixtures.ts'
import type { FullSyncReason } from './sync-hinted-pods.ts'

describe('the whole Service is synced', () => {
  interface Case {
    readonly fullSyncReason: FullSyncReason
    readonly service?: Service
    readonly settings?: Settings
    readonly receiveCount?: number
    readonly change?: (cluster: MemoryCluster) => void
    readonly hint?: (cluster: MemoryCluster) => SyncHint | undefined
  }
  const FOREIGN = { [LABEL_MANAGED_BY]: 'somebody', 'kubernetes.io/service-name': 'web' }
  const cases: Readonly<Record<string, Case>> = {
    'there is no hint': { fullSyncReason: 'NoHint', hint: () => undefined },
    'the message was received before': { fullSyncReason: 'NoHint', receiveCount: 2 },
    'the packing compacts': { fullSyncReason: 'Settings', settings: { ...SETTINGS, packing: 'compact' } },
    'removals are limited': { fullSyncReason: 'Settings', settings: { ...SETTINGS, maximumRemoval: 0.5 } },
    'endpoints are limited, and the hint tells of no number': {
      fullSyncReason: 'Settings',
      settings: { ...SETTINGS, maximumEndpoints: 100 },
    },
    'the Service selects more Pods than there may be endpoints': {
      fullSyncReason: 'Settings',
      settings: { ...SETTINGS, maximumEndpoints: 100 },
      hint: (cluster) => ({ ...hintFor(cluster, 'web-1'), selected: 101 }),
    },
    'a slice is gone': {
      fullSyncReason: 'Slice',
      change: (cluster) => cluster.remove(ENDPOINT_SLICES, slicesWith(cluster, 'web-1')[0] ?? ''),
    },
    'a slice was edited': {
      fullSyncReason: 'Slice',
      change: (cluster) =>
        editSlice(cluster, (slice) => ({ ...slice, endpoints: slice.endpoints?.slice(0, 1) })),
    },
    'a slice was taken over': {
      fullSyncReason: 'Slice',
      change: (cluster) => editSlice(cluster, (slice) => seal(withMetadata(slice, { labels: FOREIGN }))),
    },
    'a slice is being deleted': {
      fullSyncReason: 'Slice',
      change: (cluster) =>
        editSlice(cluster, (slice) => withMetadata(slice, { deletionTimestamp: '2026-01-01T00:00:00Z' })),
    },
    'a slice is empty': {
      fullSyncReason: 'Slice',
      change: (cluster) => editSlice(cluster, (slice) => seal({ ...slice, endpoints: [] })),
    },
    'a slice is as another Sliceflow wrote it': {
      fullSyncReason: 'Slice',
      change: (cluster) => editSlice(cluster, sealedBy('another')),
    },
    'the guards have noted something on a slice': {
      fullSyncReason: 'Slice',
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
    'the Service is gone': {
      fullSyncReason: 'Service',
      change: (cluster) => cluster.remove(SERVICES, 'web'),
    },
    'the Service is not ours any more': {
      fullSyncReason: 'Service',
      change(cluster) {
        const { selector: _, ...spec } = webService().spec ?? {}
        cluster.put(SERVICES, { ...webService(), spec })
      },
    },
    'its pods are those of another namespace': {
      fullSyncReason: 'Service',
      settings: { ...SETTINGS, mode: 'custom', allowedPods: '*/*=*/*' },
      change: (cluster) =>
        cluster.put(SERVICES, {
          ...webService({}, { 'sliceflow.dev/selector': 'app=web', 'sliceflow.dev/namespace': 'depot' }),
          spec: { clusterIP: '10.1.0.1', ipFamilies: ['IPv4'], ports: webService().spec?.ports },
        }),
    },
    'its endpoints are addresses': {
      fullSyncReason: 'Service',
      settings: { ...SETTINGS, mode: 'custom', allowedAddresses: '*/*=10.0.0.0/8' },
      change: (cluster) =>
        cluster.put(SERVICES, {
          ...webService({}, { 'sliceflow.dev/addresses': '10.0.0.9' }),
          spec: { clusterIP: '10.1.0.1', ipFamilies: ['IPv4'], ports: webService().spec?.ports },
        }),
    },
    'the Service asks for topology hints': {
      fullSyncReason: 'TopologyHints',
      change: (cluster) =>
        cluster.put(SERVICES, webService({}, { 'service.kubernetes.io/topology-mode': 'Auto' })),
    },
    'a slice would have to be made': {
      fullSyncReason: 'Packing',
      change: (cluster) => cluster.put(PODS, webPod(4)),
      hint: (cluster) => ({ ...hintFor(cluster, 'web-1'), pods: ['web-4'] }),
    },
    'a slice would be left empty': {
      fullSyncReason: 'Packing',
      change: (cluster) => cluster.remove(PODS, 'web-3'),
      hint: (cluster) => hintFor(cluster, 'web-3'),
    },
    'the Service has lost an address type': {
      fullSyncReason: 'Packing',
      change: (cluster) => cluster.put(SERVICES, webService({ ipFamilies: ['IPv6'] })),
    },
  }

  it.each(Object.entries(cases))('when %s', async (_, { fullSyncReason, service, change, ...given }) => {
    const cluster = await failed(3, service)
    const hint = (given.hint ?? ((inputs: MemoryCluster) => hintFor(inputs, 'web-1')))(cluster)
    change?.(cluster)
    const settings = given.settings ?? SETTINGS
    const { receiveCount } = given
    const outcome = await sync(cluster, { hint }, { settings, ...(receiveCount && { receiveCount }) })
    expect(outcome?.fullSyncReason).toBe(fullSyncReason)
    expect(cluster.calls).toContain('list endpointslices')
  })

  it('when one slice was written and another one conflicts, as what was written might stand elsewhere', async () => {
    const cluster = await failed()
    cluster.put(PODS, webPod(4))
    const hint = { ...hintFor(cluster, 'web-1', 'web-3'), pods: ['web-1', 'web-4'] }
    let isMet = false
    cluster.before = (call) => {
      if (call !== `update endpointslices ${slicesWith(cluster, 'web-1')[0]}` || isMet) return
      isMet = true
      editSlice(cluster, (slice) => slice)
    }
    const outcome = await sync(cluster, { hint }, { settings: SETTINGS })
    expect(outcome).toMatchObject({ fullSyncReason: 'Contention', attempts: 2 })
    expect(cluster.calls).toContain('list pods')
  })

  it('when one of several messages that come at once was received before', async () => {
    const cluster = await failed()
    const reasons: (FullSyncReason | undefined)[] = []
    const reconcile = createReconciler({
      clientOf: () => cluster.client,
      settings: SETTINGS,
      logger: SILENT_LOG,
      onReconciled: ({ fullSyncReason }) => reasons.push(fullSyncReason),
    })
    const hint = hintFor(cluster, 'web-1')
    const message = { ...KEY, hint, relayVerifies: true, messageIds: [] } as const
    const { signal } = new AbortController()
    const handle = (receiveCount: number) => reconcile(message, { signal, sentTimestamp: 0, receiveCount })
    await Promise.all([handle(1), handle(2), handle(1)])
    expect(reasons).toEqual([undefined, 'NoHint'])
  })
})
