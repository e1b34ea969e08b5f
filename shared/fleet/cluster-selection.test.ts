import { describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../endpointslice/index.ts'
import { ConnectionError, ENDPOINT_SLICES, SERVICES } from '../kubernetes/index.ts'
import type { MemoryCluster } from '../reconciler/memory-cluster.fixtures.ts'
import { conditionsOf, EXPORTS, sourceSlice } from './reconcile-fleet.fixtures.ts'
import {
  has,
  IDS,
  importedIn,
  importIn,
  OWN,
  openRegions,
  PROPERTIES,
  REGION,
  regionOf,
  resultsIn,
  SAME_REGION,
  selectClusters,
  servers,
  servingIn,
  setEndpoints,
  setProperty,
} from './regions.fixtures.ts'
import type { ServiceExport } from './resources.ts'
import { LABEL_SOURCE_CLUSTER } from './well-known.ts'

const ALL = ['10.1.0.1', '10.2.0.1', '10.3.0.1', '10.4.0.1', '10.5.0.1']
const validOf = (cluster: MemoryCluster) => conditionsOf(cluster).find(({ type }) => type === 'Valid')

describe('clusters that an export selects (KEP-5939)', () => {
  it('serve in their order: own, then the region, then all; every endpoint stays for who chooses itself', async () => {
    const fleet = openRegions()
    await fleet.handle()
    for (const id of IDS) {
      expect(resultsIn(fleet, id)).toEqual([
        [id],
        IDS.filter((each) => regionOf(each) === regionOf(id)).toSorted(),
      ])
      expect(servers(fleet, id)).toEqual([id])
      expect(importedIn(fleet, id)).toEqual(ALL)
    }
    expect(importIn(fleet, 'eu-1').spec?.clusterSelectors).toEqual([
      has({ 'cluster.clusterset.k8s.io': 'eu-1' }),
      has({ [REGION]: 'eu' }),
    ])

    setEndpoints(fleet.clusters['eu-1'], [])
    await fleet.handle()
    expect(servers(fleet, 'eu-1')).toEqual(['eu-2'])
    setEndpoints(fleet.clusters['eu-2'], [{ addresses: ['10.2.0.1'], conditions: { ready: false } }])
    await fleet.handle()
    expect(servers(fleet, 'eu-1')).toEqual(['ap-1', 'eu-2', 'us-1', 'us-2'])
    // The results are about clusters, not about their endpoints.
    expect(resultsIn(fleet, 'eu-1')).toEqual([['eu-1'], ['eu-1', 'eu-2']])
    expect(servers(fleet, 'us-1')).toEqual(['us-1'])

    setEndpoints(fleet.clusters['eu-1'], [{ addresses: ['10.1.0.1'], conditions: { ready: true } }])
    await fleet.handle()
    expect(servers(fleet, 'eu-1')).toEqual(['eu-1'])
  })

  it('are written once: a second sync, and another process, write nothing', async () => {
    const fleet = openRegions()
    await fleet.handle()
    await fleet.handle()
    const writes = (calls: readonly string[]) =>
      calls.filter((call) => /: (create|update|patch|delete) /.test(call))
    expect(writes(await fleet.handle())).toEqual([])
    fleet.restart()
    expect(writes(await fleet.handle())).toEqual([])
  })

  it('gain the label of the Service before others lose it, without a slice made or removed', async () => {
    const fleet = openRegions()
    await fleet.handle()
    setEndpoints(fleet.clusters['eu-1'], [])
    const order: string[] = []
    fleet.clusters['eu-1'].before = (call, object) => {
      const { labels = {} } = (object as EndpointSlice | undefined)?.metadata ?? {}
      const source = labels[LABEL_SOURCE_CLUSTER]
      if (source !== undefined)
        order.push(
          `${call.split(' ')[0]} ${source} ${labels['kubernetes.io/service-name'] ? 'serves' : 'rests'}`,
        )
    }
    await fleet.handle()
    expect(order[0]).toMatch(/^update eu-2 serves$/)
    expect(order.filter((line) => !line.startsWith('update'))).toEqual([])
  })

  it('are those that endure: only one that still serves while it terminates is left in a result', async () => {
    const fleet = openRegions()
    setEndpoints(fleet.clusters['eu-1'], [
      { addresses: ['10.1.0.1'], conditions: { ready: false, serving: true, terminating: true } },
    ])
    await fleet.handle()
    expect(servers(fleet, 'eu-1')).toEqual(['eu-1'])
    setEndpoints(fleet.clusters['eu-1'], [
      { addresses: ['10.1.0.1'], conditions: { ready: false, serving: false, terminating: true } },
    ])
    await fleet.handle()
    expect(servers(fleet, 'eu-1')).toEqual(['eu-1', 'eu-2'])
  })

  it('may be others for another port, with each endpoint and port in one slice', async () => {
    const fleet = openRegions()
    const twoPorts = (name: string) => ({
      metadata: { name: 'web', namespace: 'shop' },
      spec: {
        ports: [
          { name: 'http', port: 80, protocol: 'TCP' },
          { name, port: 53, protocol: 'TCP' },
        ],
      },
    })
    for (const id of IDS) fleet.clusters[id].put(SERVICES, twoPorts('dns'))
    const both = [
      { name: 'http', port: 8080, protocol: 'TCP' },
      { name: 'dns', port: 5353, protocol: 'TCP' },
    ]
    const cluster = fleet.clusters['us-1']
    cluster.put(ENDPOINT_SLICES, { ...sourceSlice('10.3.0.1'), ports: both })
    fleet.clusters['us-2'].put(ENDPOINT_SLICES, { ...sourceSlice('10.4.0.1'), ports: both })
    await fleet.handle()
    expect(servingIn(fleet, 'us-1')).toEqual({ 'us-1': ['dns', 'http'] })

    cluster.put(ENDPOINT_SLICES, { ...sourceSlice('10.3.0.1'), ports: both.slice(0, 1) })
    await fleet.handle()
    expect(servingIn(fleet, 'us-1')).toEqual({ 'us-1': ['http'], 'us-2': ['dns'] })
    const pairs = fleet.clusters['us-1']
      .all(ENDPOINT_SLICES)
      .flatMap(({ metadata, endpoints, ports }) =>
        metadata?.labels?.[LABEL_SOURCE_CLUSTER] === 'us-2'
          ? (endpoints ?? []).flatMap(() => (ports ?? []).map(({ name }) => name))
          : [],
      )
    expect(pairs.toSorted()).toEqual(['dns', 'http'])

    cluster.put(ENDPOINT_SLICES, { ...sourceSlice('10.3.0.1'), ports: both })
    await fleet.handle()
    expect(servingIn(fleet, 'us-1')).toEqual({ 'us-1': ['dns', 'http'] })
  })

  it('are all where a selector selects none, or the importing cluster lacks the property', async () => {
    const fleet = openRegions({ selectors: [has({ tier: 'gold' }), has({ site: '@SameAsImporter@' })] })
    await fleet.handle()
    expect(importIn(fleet, 'eu-1').status?.clusterSelectorResults).toEqual([{}, {}])
    expect(servers(fleet, 'eu-1')).toEqual([...IDS].sort())
    expect(importIn(fleet, 'eu-1').spec?.clusterSelectors?.[1]).toEqual(has({ site: '@SameAsImporter@' }))
  })

  it('follow properties that change, and clusters that join and leave', async () => {
    const gold = [{ propertySelector: { matchExpressions: [{ key: 'gold', operator: 'Exists' }] } }]
    const fleet = openRegions({ selectors: gold })
    setProperty(fleet.clusters['us-2'], 'gold', '')
    await fleet.handle()
    expect(servers(fleet, 'eu-1')).toEqual(['us-2'])
    setProperty(fleet.clusters['ap-1'], 'gold', 'yes')
    fleet.clusters['us-2'].remove(PROPERTIES, 'gold')
    await fleet.handle()
    expect(servers(fleet, 'eu-1')).toEqual(['ap-1'])
    fleet.clusters['ap-1'].remove(EXPORTS, 'web')
    await fleet.handle()
    expect(resultsIn(fleet, 'eu-1')).toEqual([[]])
    expect(servers(fleet, 'eu-1')).toEqual(['eu-1', 'eu-2', 'us-1', 'us-2'])
  })

  it('are those of the set before those of ClusterProperties, which are then not read', async () => {
    const properties = Object.fromEntries(
      IDS.map((id) => [id, { [REGION]: id === 'us-1' ? 'eu' : 'elsewhere' }]),
    )
    const fleet = openRegions({ selectors: [has({ [REGION]: 'eu' })], properties })
    const calls = await fleet.handle()
    expect(servers(fleet, 'ap-1')).toEqual(['us-1'])
    expect(calls.filter((call) => call.includes('clusterproperties'))).toEqual([])
  })

  it('stay as they were while the properties of one cannot be read, and the key comes back', async () => {
    const fleet = openRegions()
    await fleet.handle()
    setProperty(fleet.clusters['eu-1'], REGION, 'us')
    fleet.clusters['ap-1'].before = (call) => {
      if (call.includes('clusterproperties')) throw new ConnectionError('it is cut', 'ECONNRESET')
    }
    await expect(fleet.handle()).rejects.toThrow('ap-1')
    expect(resultsIn(fleet, 'eu-1')).toEqual([['eu-1'], ['eu-1', 'eu-2']])
    expect(importIn(fleet, 'eu-1').spec?.clusterSelectors?.[1]).toEqual(has({ [REGION]: 'eu' }))
    fleet.clusters['ap-1'].before = () => undefined
    await fleet.handle()
    expect(resultsIn(fleet, 'eu-1')).toEqual([['eu-1'], ['eu-1', 'us-1', 'us-2']])
  })

  it('keep serving while their cluster is out of reach, and others help once it has said that it has none', async () => {
    const fleet = openRegions()
    setEndpoints(fleet.clusters['eu-1'], [])
    await fleet.handle()
    expect(servers(fleet, 'eu-1')).toEqual(['eu-2'])
    fleet.clusters['eu-2'].before = () => {
      throw new ConnectionError('it is cut', 'ECONNRESET')
    }
    await expect(fleet.handle()).rejects.toThrow('eu-2')
    expect(servers(fleet, 'eu-1')).toEqual(['eu-2'])
    fleet.clusters['eu-2'].before = () => undefined
    setEndpoints(fleet.clusters['eu-2'], [])
    await fleet.handle()
    expect(servers(fleet, 'eu-1')).toEqual(['ap-1', 'us-1', 'us-2'])
  })

  it('are in conflict where exports differ in them or in their order; the oldest wins until they agree', async () => {
    const fleet = openRegions()
    const { clusters } = fleet
    clusters['eu-1'].put(EXPORTS, {
      metadata: { name: 'web', namespace: 'shop', creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { clusterSelectors: [SAME_REGION, OWN] },
    } as ServiceExport)
    await fleet.handle()
    const conflict = conditionsOf(clusters['us-1']).find(({ type }) => type === 'Conflict')
    expect(conflict).toMatchObject({ status: 'True', reason: 'ClusterSelectorsConflict' })
    expect(servers(fleet, 'eu-2')).toEqual(['eu-1', 'eu-2'])
    selectClusters(clusters['eu-1'], [OWN, SAME_REGION])
    await fleet.handle()
    expect(conditionsOf(clusters['us-1']).find(({ type }) => type === 'Conflict')?.status).toBe('False')
    expect(servers(fleet, 'eu-2')).toEqual(['eu-2'])
  })

  it('all serve again, and nothing is left of the results, when the selectors go', async () => {
    const fleet = openRegions()
    await fleet.handle()
    for (const id of IDS) selectClusters(fleet.clusters[id], undefined)
    await fleet.handle()
    expect(servers(fleet, 'eu-1')).toEqual([...IDS].sort())
    expect(importIn(fleet, 'eu-1').status?.clusterSelectorResults).toBeUndefined()
    expect(importIn(fleet, 'eu-1').spec?.clusterSelectors).toBeUndefined()
  })

  it('have the shares of a policy, but one that publishes nothing is passed over', async () => {
    const fleet = openRegions({ selectors: [has({ [REGION]: 'us' }), has({ [REGION]: 'eu' })] })
    const policy = '{"weights":{"us-1":0,"us-2":0}}'
    for (const id of IDS) {
      const [object] = fleet.clusters[id].all<ServiceExport>(EXPORTS)
      const metadata = { ...object?.metadata, annotations: { 'sliceflow.dev/fleet-policy': policy } }
      fleet.clusters[id].put(EXPORTS, { ...object, metadata } as ServiceExport)
    }
    await fleet.handle()
    expect(servers(fleet, 'ap-1')).toEqual(['eu-1', 'eu-2'])
  })

  it('are refused where they cannot be read, and the other exports serve', async () => {
    const fleet = openRegions({ selectors: undefined })
    selectClusters(fleet.clusters['eu-1'], [{ propertySelector: {} }])
    await fleet.handle()
    expect(validOf(fleet.clusters['eu-1'])).toMatchObject({
      status: 'False',
      reason: 'InvalidClusterSelector',
      message: 'spec.clusterSelectors[0].propertySelector has neither matchProperties nor matchExpressions.',
    })
    expect(importIn(fleet, 'ap-1').status?.clusters).toHaveLength(4)
  })

  it('are refused of a headless Service', async () => {
    const fleet = openRegions()
    for (const id of IDS)
      fleet.clusters[id].put(SERVICES, {
        metadata: { name: 'web', namespace: 'shop' },
        spec: { clusterIP: 'None', ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
      })
    await fleet.handle()
    expect(validOf(fleet.clusters['eu-1'])).toMatchObject({ status: 'False', reason: 'InvalidServiceType' })
  })

  it('are left out, and the export says so, in a set that does not select clusters', async () => {
    const fleet = openRegions({ clusterSelection: false })
    const calls = await fleet.handle()
    expect(servers(fleet, 'eu-1')).toEqual([...IDS].sort())
    expect(validOf(fleet.clusters['eu-1'])).toMatchObject({
      status: 'True',
      message: expect.stringContaining('spec.clusterSelectors, which the cluster set does not read'),
    })
    expect(calls.filter((call) => call.includes('clusterproperties'))).toEqual([])
  })
})
