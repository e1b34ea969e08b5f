import { describe, expect, it } from 'vitest'
import {
  type EndpointSelector,
  type EndpointSlice,
  projectionOf,
  type Service,
} from '../endpointslice/index.ts'
import { ENDPOINT_SELECTORS, ENDPOINT_SLICES, SERVICES } from '../kubernetes/index.ts'
import type { MemoryCluster } from '../reconciler/memory-cluster.fixtures.ts'
import {
  addressesIn,
  conditionsOf,
  EXPORTS,
  type Fleet,
  IMPORTS,
  openFleet,
  sourceSlice,
} from './reconcile-fleet.fixtures.ts'
import type { ServiceExport, ServiceImport } from './resources.ts'

const PORTS = [{ name: 'grpc', protocol: 'TCP', targetPort: 9000, appProtocol: 'kubernetes.io/h2c' }]

const selector = (spec: Partial<EndpointSelector['spec']> = {}): EndpointSelector => ({
  apiVersion: 'sliceflow.dev/v1alpha1',
  kind: 'EndpointSelector',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { selector: { matchLabels: { app: 'web' } }, ports: PORTS, ...spec },
})

const selectorSlice = (...addresses: readonly string[]): EndpointSlice => ({
  ...sourceSlice(...addresses),
  metadata: {
    name: 'web-selected',
    namespace: 'shop',
    labels: { 'kubernetes.io/endpoint-selector-name': 'web' },
  },
  ports: [{ name: 'grpc', port: 9000, protocol: 'TCP' }],
})

function exportAs(cluster: MemoryCluster, kind: unknown): void {
  const annotations = { 'sliceflow.dev/export-kind': kind } as Record<string, string>
  const [before] = cluster.all<ServiceExport>(EXPORTS)
  cluster.put(EXPORTS, {
    ...before,
    metadata: { name: 'web', namespace: 'shop', ...(kind !== null && { annotations }) },
  })
}

/** Opens two clusters of which `eu` exports an EndpointSelector beside a Service of its name. */
function openSelectors(spec?: Partial<EndpointSelector['spec']>): Fleet {
  const fleet = openFleet()
  const { eu, us } = fleet.clusters
  us.remove(EXPORTS, 'web')
  exportAs(eu, 'EndpointSelector')
  eu.put(ENDPOINT_SELECTORS, selector(spec))
  eu.put(ENDPOINT_SLICES, selectorSlice('10.9.0.1'))
  return fleet
}

const validOf = (cluster: MemoryCluster) => conditionsOf(cluster).find(({ type }) => type === 'Valid')
const importIn = (cluster: MemoryCluster) => cluster.all<ServiceImport>(IMPORTS)[0]?.spec

describe('an EndpointSelector that is exported', () => {
  it('is imported as a headless Service of its ports, with its slices and not those of the Service', async () => {
    const fleet = openSelectors()
    await fleet.handle()
    for (const cluster of Object.values(fleet.clusters)) {
      expect(importIn(cluster)).toMatchObject({
        type: 'Headless',
        ports: [{ name: 'grpc', protocol: 'TCP', port: 9000, appProtocol: 'kubernetes.io/h2c' }],
      })
      expect(addressesIn(cluster)).toEqual(['10.9.0.1'])
    }
    expect(validOf(fleet.clusters.eu)?.status).toBe('True')
  })

  it('follows its slices and ports, from what is cached as well, and at rest writes nothing', async () => {
    const fleet = openSelectors()
    const { eu, us } = fleet.clusters
    await fleet.handle()
    eu.put(ENDPOINT_SLICES, { ...selectorSlice('10.9.0.1', '10.9.0.2') })
    eu.put(ENDPOINT_SELECTORS, selector({ ports: [...PORTS, { name: 'admin', targetPort: 9001 }] }))
    const seen = (): Parameters<Fleet['handle']>[0] => {
      const versions = fleet.versions()
      // A relay names no Service that is not exported, nor its slices.
      const { service: _, slices: { 'web-1': _slice, ...slices } = {}, ...rest } = versions.eu ?? {}
      return { ...versions, eu: { ...rest, slices } }
    }
    await fleet.handle(seen())
    expect(addressesIn(us)).toEqual(['10.9.0.1', '10.9.0.2'])
    expect(importIn(us)?.ports).toMatchObject([{ port: 9000 }, { port: 9001 }])
    const writes = (await fleet.handle(seen())).filter((call) => / (create|update|patch|delete) /.test(call))
    expect(writes).toEqual([])
  })

  it('gives way to the Service once the annotation is gone, and goes with the EndpointSelector', async () => {
    const fleet = openSelectors()
    const { eu, us } = fleet.clusters
    await fleet.handle()
    exportAs(eu, null)
    await fleet.handle(fleet.versions())
    expect([importIn(us)?.type, addressesIn(us)]).toEqual(['ClusterSetIP', ['10.1.0.1']])
    exportAs(eu, 'EndpointSelector')
    await fleet.handle()
    eu.remove(ENDPOINT_SELECTORS, 'web')
    eu.remove(ENDPOINT_SLICES, 'web-selected')
    await fleet.handle()
    expect(us.all(IMPORTS)).toEqual([])
    expect(validOf(eu)).toMatchObject({ status: 'False', reason: 'NoEndpointSelector' })
  })

  const service: Service = {
    metadata: { name: 'web', namespace: 'shop', uid: 'uid-web' },
    spec: { selector: { app: 'web' } },
  }
  it.each<[string, string, (cluster: MemoryCluster) => void]>([
    ['a kind that is none', 'InvalidExportKind', (cluster) => exportAs(cluster, 'Pod')],
    ['a kind that is no text', 'InvalidExportKind', (cluster) => exportAs(cluster, 7)],
    ['no object', 'NoEndpointSelector', (cluster) => cluster.remove(ENDPOINT_SELECTORS, 'web')],
    [
      'a cluster that does not serve the kind',
      'NoEndpointSelector',
      (cluster) => {
        cluster.served = []
        cluster.remove(ENDPOINT_SLICES, 'web-selected')
      },
    ],
    [
      'a targetPort with a name',
      'InvalidEndpointSelector',
      (cluster) => cluster.put(ENDPOINT_SELECTORS, selector({ ports: [{ targetPort: 'grpc' }] })),
    ],
    [
      'one that stands for a Service',
      'InvalidEndpointSelector',
      (cluster) => {
        const { metadata } = projectionOf(service) as EndpointSelector
        cluster.put(ENDPOINT_SELECTORS, { ...selector(), metadata })
      },
    ],
  ])('with %s is a condition on the ServiceExport, %s, and others are imported', async (_, reason, spoil) => {
    const fleet = openSelectors()
    const { eu, us } = fleet.clusters
    us.put(EXPORTS, { metadata: { name: 'web', namespace: 'shop' } })
    spoil(eu)
    await fleet.handle()
    expect(validOf(eu)).toMatchObject({ status: 'False', reason })
    expect(addressesIn(eu)).toEqual(['10.2.0.1'])
  })

  it('that cannot be read keeps its imports: slices say that it is there', async () => {
    const fleet = openSelectors()
    const { eu, us } = fleet.clusters
    await fleet.handle()
    eu.served = []
    fleet.restart()
    await expect(fleet.handle()).rejects.toThrow()
    expect(addressesIn(us)).toEqual(['10.9.0.1'])
  })

  it('conflicts with a Service that another cluster exports: the oldest export says the type', async () => {
    const fleet = openSelectors()
    const { eu, us } = fleet.clusters
    us.put(EXPORTS, { metadata: { name: 'web', namespace: 'shop' } })
    us.put(SERVICES, {
      metadata: { name: 'web', namespace: 'shop' },
      spec: { ports: [{ name: 'grpc', port: 9000 }] },
    })
    await fleet.handle()
    expect(conditionsOf(eu).find(({ type }) => type === 'Conflict')).toMatchObject({
      status: 'True',
      reason: expect.stringContaining('TypeConflict'),
    })
  })
})

describe('an export whose name no label can have', () => {
  const name = 'a'.repeat(64)
  const metadata = { name, namespace: 'shop' }

  it.each([
    ['NoService', 'Service', undefined],
    ['NoEndpointSelector', 'EndpointSelector', undefined],
    ['InvalidEndpointSelector', 'EndpointSelector', { ...selector(), metadata }],
  ])('has a condition that says so: %s', async (reason, kind, object) => {
    const { clusters, handle } = openFleet({}, {}, { service: name })
    const annotations = { 'sliceflow.dev/export-kind': kind }
    clusters.eu.put(EXPORTS, { metadata: { ...metadata, annotations } })
    if (object !== undefined) clusters.eu.put(ENDPOINT_SELECTORS, object)
    await handle()
    const written = clusters.eu.all<ServiceExport>(EXPORTS).find((each) => each.metadata?.name === name)
    expect(written?.status?.conditions?.[0]).toMatchObject({ type: 'Valid', status: 'False', reason })
    expect(clusters.us.all(IMPORTS)).toEqual([])
  })
})
