import { describe, expect, it, onTestFinished } from 'vitest'
import { silentLog } from '../../test/end-to-end/silent-log.ts'
import type { FleetVersions } from '../changes/index.ts'
import type { EndpointSlice, Service } from '../endpointslice/index.ts'
import {
  type ApiClient,
  type ApiObject,
  ENDPOINT_SLICES,
  type Resource,
  SERVICES,
} from '../kubernetes/index.ts'
import { createMemoryCluster, type MemoryCluster } from '../reconciler/memory-cluster.fixtures.ts'
import { parseSettings } from '../settings/index.ts'
import {
  type Condition,
  createFleetReconciler,
  derivedServiceName,
  fleetKey,
  LABEL_SOURCE_CLUSTER,
  type ServiceExport,
  serviceExports,
  serviceImports,
} from './index.ts'

const EXPORTS = serviceExports('v1beta1')
const IMPORTS = serviceImports('v1beta1')
const DERIVED = derivedServiceName('shop', 'web')

const sourceSlice = (...addresses: readonly string[]): EndpointSlice => ({
  metadata: {
    name: 'web-1',
    namespace: 'shop',
    labels: { 'kubernetes.io/service-name': 'web' },
  },
  addressType: 'IPv4',
  endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
})

/** A cluster that serves the API and exports the Service `web` with one endpoint. */
function exportingCluster(address: string): MemoryCluster {
  const cluster = createMemoryCluster()
  cluster.put(SERVICES, {
    metadata: { name: 'web', namespace: 'shop' },
    spec: { ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
  })
  cluster.put(ENDPOINT_SLICES, sourceSlice(address))
  cluster.put(EXPORTS, { metadata: { name: 'web', namespace: 'shop' } })
  return cluster
}

const DISCOVERY: Readonly<Record<string, unknown>> = {
  '/apis': { groups: [{ name: 'multicluster.x-k8s.io', versions: [{ version: 'v1beta1' }] }] },
  '/apis/multicluster.x-k8s.io/v1beta1': {
    resources: [{ name: 'serviceexports' }, { name: 'serviceimports' }],
  },
}

function openFleet() {
  const clusters = { eu: exportingCluster('10.1.0.1'), us: exportingCluster('10.2.0.1') }
  const members = Object.keys(clusters).map((id) => ({ cluster: id, id, role: 'both' as const }))
  const clients = new Map<string, ApiClient>(
    Object.entries(clusters).map(([cluster, { client }]) => [
      cluster,
      { ...client, cluster, read: async <T>(path: string) => DISCOVERY[path] as T },
    ]),
  )
  const reconcile = createFleetReconciler({
    sets: () => [{ name: 'default', members, namespaces: ['*'] }],
    clientOf(name) {
      const client = clients.get(name)
      if (client === undefined) throw new Error(`there is no cluster ${name}`)
      return client
    },
    settings: parseSettings({}),
    logger: silentLog,
    clock: { now: () => 0, pause: async () => undefined },
  })
  const ending = new AbortController()
  onTestFinished(() => ending.abort())
  return {
    clusters,
    /** Handles one message, and tells the calls that it took. */
    async handle(fleetVersions?: FleetVersions): Promise<string[]> {
      for (const { calls } of Object.values(clusters)) calls.length = 0
      await reconcile(
        { ...fleetKey('default', 'shop', 'web'), messageIds: [], ...(fleetVersions && { fleetVersions }) },
        { signal: ending.signal, sentTimestamp: 0, receiveCount: 1 },
      )
      return Object.entries(clusters).flatMap(([name, { calls }]) => calls.map((call) => `${name}: ${call}`))
    },
    /** What a relay that has seen everything says. */
    versions: (): FleetVersions =>
      Object.fromEntries(Object.entries(clusters).map(([name, cluster]) => [name, versionsIn(cluster)])),
  }
}

function versionsIn(cluster: MemoryCluster): FleetVersions[string] {
  const versionOf = (resource: Resource<ApiObject>, name: string): string =>
    cluster.all(resource).find(({ metadata }) => metadata?.name === name)?.metadata?.resourceVersion ?? ''
  const slices = (areImported: boolean): Record<string, string> =>
    Object.fromEntries(
      cluster
        .all(ENDPOINT_SLICES)
        .filter(({ metadata }) => (metadata?.labels?.[LABEL_SOURCE_CLUSTER] !== undefined) === areImported)
        .map(({ metadata }) => [metadata?.name ?? '', metadata?.resourceVersion ?? '']),
    )
  return {
    export: versionOf(EXPORTS, 'web'),
    service: versionOf(SERVICES, 'web'),
    slices: slices(false),
    import: versionOf(IMPORTS, 'web'),
    derived: versionOf(SERVICES, DERIVED),
    imported: slices(true),
  }
}

const conditionsOf = (cluster: MemoryCluster): readonly Condition[] =>
  cluster.all<ServiceExport>(EXPORTS)[0]?.status?.conditions ?? []

const addressesIn = (cluster: MemoryCluster): string[] =>
  cluster
    .all(ENDPOINT_SLICES)
    .filter(({ metadata }) => metadata?.labels?.[LABEL_SOURCE_CLUSTER] !== undefined)
    .flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses))
    .sort()

describe('a Service of a cluster set', () => {
  it('is imported with the endpoints of every cluster, and needs no write when it is looked at again', async () => {
    const { clusters, handle } = openFleet()
    await handle()
    for (const cluster of Object.values(clusters))
      expect(addressesIn(cluster)).toEqual(['10.1.0.1', '10.2.0.1'])
    const calls = await handle()
    expect(calls.filter((call) => !/: (get|list) /.test(call))).toEqual([])
  })

  it('is not read where a message names the versions that were left', async () => {
    const { handle, versions } = openFleet()
    await handle()
    expect(await handle(versions())).toEqual([])
  })

  it('costs a read and a write a cluster when a slice changes', async () => {
    const { clusters, handle, versions } = openFleet()
    await handle()
    clusters.us.put(ENDPOINT_SLICES, sourceSlice('10.2.0.1', '10.2.0.2'))
    const calls = await handle(versions())
    expect(calls.map((call) => call.replace(/derived-\S+/, DERIVED))).toEqual([
      `eu: update endpointslices ${DERIVED}`,
      'us: get endpointslices web-1',
      `us: update endpointslices ${DERIVED}`,
    ])
    expect(addressesIn(clusters.eu)).toEqual(['10.1.0.1', '10.2.0.1', '10.2.0.2'])
  })

  it('is read whole where somebody else has written an import since', async () => {
    const { clusters, handle, versions } = openFleet()
    await handle()
    const [object] = clusters.eu.all(IMPORTS)
    if (object === undefined) throw new Error('nothing was imported')
    clusters.eu.put(IMPORTS, { ...object, spec: { type: 'ClusterSetIP', ports: [] } })
    const calls = await handle(versions())
    expect(calls).toContain('us: get serviceexports web')
    expect(clusters.eu.all(IMPORTS)[0]?.spec?.ports).toHaveLength(1)
  })

  it('is ready in its exports once they are told of it, however often its slices had to be written', async () => {
    const { clusters, handle } = openFleet()
    await handle()
    clusters.us.put(ENDPOINT_SLICES, sourceSlice('10.2.0.9'))
    let conflicts = 3
    clusters.eu.before = (call) => {
      if (!call.startsWith('update endpointslices') || conflicts-- <= 0) return
      const [slice] = clusters.eu
        .all(ENDPOINT_SLICES)
        .filter(({ metadata }) => call.endsWith(metadata?.name ?? ''))
      if (slice !== undefined) clusters.eu.put(ENDPOINT_SLICES, slice)
    }
    const told: string[] = []
    clusters.us.before = (call) => {
      if (call.startsWith('update serviceexports')) told.push(call)
    }
    await handle()
    expect(addressesIn(clusters.eu)).toEqual(['10.1.0.1', '10.2.0.9'])
    expect(told).toEqual([])
    expect(conditionsOf(clusters.us)).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'True', reason: 'Exported' }),
    )
  })

  it('leaves an import of somebody else alone, and says so on the exports', async () => {
    const { clusters, handle } = openFleet()
    clusters.us.put(IMPORTS, {
      metadata: { name: 'web', namespace: 'shop' },
      spec: { type: 'Headless', ports: [] },
    })
    await handle()
    expect(clusters.us.all(IMPORTS)).toMatchObject([{ spec: { type: 'Headless' } }])
    expect(addressesIn(clusters.us)).toEqual([])
    expect(conditionsOf(clusters.eu)).toContainEqual(
      expect.objectContaining({
        type: 'Ready',
        status: 'False',
        message: 'ServiceImport web of cluster us is not of this cluster set',
      }),
    )
  })

  it('leaves a Service of somebody else alone that has the name of the derived one', async () => {
    const { clusters, handle } = openFleet()
    const foreign: Service = {
      metadata: { name: DERIVED, namespace: 'shop' },
      spec: { clusterIP: '10.9.9.9' },
    }
    clusters.us.put(SERVICES, foreign)
    await handle()
    const found = clusters.us.all(SERVICES).find(({ metadata }) => metadata?.name === DERIVED)
    expect(found?.spec).toEqual(foreign.spec)
    expect(clusters.us.all(IMPORTS)).toEqual([])
  })
})
