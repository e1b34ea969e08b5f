import { describe, expect, it } from 'vitest'
import type { Endpoint, EndpointSlice, Service } from '../endpointslice/index.ts'
import { ApiError, ENDPOINT_SLICES, SERVICES } from '../kubernetes/index.ts'
import type { MemoryCluster } from '../reconciler/memory-cluster.fixtures.ts'
import { LABEL_SOURCE_CLUSTER } from './index.ts'
import {
  addressesIn,
  conditionsOf,
  DERIVED,
  EXPORTS,
  IMPORTS,
  openFleet,
  sourceSlice,
} from './reconcile-fleet.fixtures.ts'

/** Returns the imported endpoints of a cluster, by their source clusters' names. */
const importedIn = (cluster: MemoryCluster): readonly Endpoint[] =>
  cluster
    .all<EndpointSlice>(ENDPOINT_SLICES)
    .map(({ metadata, endpoints }) => ({ source: metadata?.labels?.[LABEL_SOURCE_CLUSTER], endpoints }))
    .filter(({ source }) => source !== undefined)
    .toSorted((a, b) => ((a.source ?? '') < (b.source ?? '') ? -1 : 1))
    .flatMap(({ endpoints }) => endpoints ?? [])

/** Has a cluster refuse Services with this value, as Kubernetes 1.33 does. */
function refuseDistribution(cluster: MemoryCluster, value: string): void {
  const field = 'spec.trafficDistribution'
  const status = { code: 422, details: { causes: [{ reason: 'FieldValueNotSupported', field }] } }
  cluster.before = (call, object?: Service) => {
    if (/^(create|update) services /.test(call) && object?.spec?.trafficDistribution === value)
      throw new ApiError(`Unsupported value: "${value}"`, 422, status)
  }
}

describe('a Service of a cluster set', () => {
  it('is imported with the endpoints of every cluster, and needs no write when it is synced again', async () => {
    const { clusters, handle } = openFleet()
    await handle()
    for (const cluster of Object.values(clusters))
      expect(addressesIn(cluster)).toEqual(['10.1.0.1', '10.2.0.1'])
    const calls = await handle()
    expect(calls.filter((call) => !/: (get|list) /.test(call))).toEqual([])
  })

  it('is imported in a cluster that serves the API by now, whatever clock was set back', async () => {
    let now = 3_600_000
    const { clusters, unserved, handle } = openFleet({}, {}, { now: () => now })
    unserved.add('us')
    await handle()
    expect(addressesIn(clusters.us)).toEqual([])
    unserved.delete('us')
    now = 0
    await handle()
    expect(addressesIn(clusters.us)).toEqual(['10.1.0.1', '10.2.0.1'])
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

  it('is read where a message comes again, which stands for later ones that an outage has dropped', async () => {
    const { clusters, handle, versions } = openFleet()
    await handle()
    const waiting = versions()
    clusters.us.put(ENDPOINT_SLICES, sourceSlice('10.2.0.9'))
    await handle(waiting, 2)
    expect(addressesIn(clusters.eu)).toEqual(['10.1.0.1', '10.2.0.9'])
  })

  it('has no endpoint of a slice that a message names and that is another Service’s', async () => {
    const { clusters, handle, versions } = openFleet()
    await handle()
    const { eu, ...others } = versions()
    const { metadata, ...slice } = sourceSlice('10.1.0.9')
    const labels = { 'kubernetes.io/service-name': 'api' }
    const put = clusters.eu.put<EndpointSlice>(ENDPOINT_SLICES, {
      ...slice,
      metadata: { ...metadata, name: 'api-1', labels },
    })
    const slices = { ...eu?.slices, 'api-1': put.metadata?.resourceVersion ?? '' }
    await handle({ eu: { ...eu, slices }, ...others })
    expect(addressesIn(clusters.us)).toEqual(['10.1.0.1', '10.2.0.1'])
  })

  it('has a slice again that somebody deletes a moment after it was written', async () => {
    const { clusters, handle, versions } = openFleet()
    await handle()
    await handle(versions())
    for (const { metadata } of clusters.eu.all(ENDPOINT_SLICES))
      if (metadata?.labels?.[LABEL_SOURCE_CLUSTER] === 'us')
        clusters.eu.remove(ENDPOINT_SLICES, metadata.name ?? '')
    await handle(versions())
    expect(addressesIn(clusters.eu)).toEqual(['10.1.0.1', '10.2.0.1'])
  })

  it.each([
    [undefined, [undefined, undefined]],
    ['PreferClose', [['eu-1a'], ['us-1a']]],
    ['PreferSameZone', [['eu-1a'], ['us-1a']]],
    ['PreferSameNode', [['eu-1a'], ['us-1a']]],
  ])(
    'hints its endpoints at their zones as the trafficDistribution of the oldest export says: %s',
    async (trafficDistribution, zones) => {
      const { clusters, handle } = openFleet()
      for (const [id, cluster] of Object.entries(clusters)) {
        const [service] = cluster.all<Service>(SERVICES)
        cluster.put(SERVICES, { ...service, spec: { ...service?.spec, trafficDistribution } })
        for (const slice of cluster.all<EndpointSlice>(ENDPOINT_SLICES))
          cluster.put(ENDPOINT_SLICES, {
            ...slice,
            endpoints: slice.endpoints?.map((endpoint) => ({ ...endpoint, zone: `${id}-1a` })),
          })
      }
      await handle()
      const hinted = importedIn(clusters.eu).map(({ hints }) => hints?.forZones?.map(({ name }) => name))
      expect(hinted).toEqual(zones)
    },
  )

  it.each(['PreferSameZone', 'PreferSameNode'])(
    'is imported with PreferClose where a server does not know %s, and as it is wanted once the server does',
    async (trafficDistribution) => {
      const { clusters, handle } = openFleet()
      for (const cluster of Object.values(clusters)) {
        const [service] = cluster.all<Service>(SERVICES)
        cluster.put(SERVICES, { ...service, spec: { ...service?.spec, trafficDistribution } })
      }
      refuseDistribution(clusters.us, trafficDistribution)
      const derivedIn = ({ all }: MemoryCluster): string | undefined =>
        all<Service>(SERVICES).find(({ metadata }) => metadata?.name === DERIVED)?.spec?.trafficDistribution
      await handle()
      expect([derivedIn(clusters.eu), derivedIn(clusters.us)]).toEqual([trafficDistribution, 'PreferClose'])
      expect(addressesIn(clusters.us)).toEqual(['10.1.0.1', '10.2.0.1'])
      clusters.us.put(ENDPOINT_SLICES, sourceSlice('10.2.0.9'))
      await handle()
      expect(addressesIn(clusters.us)).toEqual(['10.1.0.1', '10.2.0.9'])
      clusters.us.before = () => {}
      await handle()
      expect(derivedIn(clusters.us)).toBe(trafficDistribution)
    },
  )

  it('is ready in its exports once their conditions say so, however often its slices had to be written', async () => {
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
    const reported: string[] = []
    clusters.us.before = (call) => {
      if (call.startsWith('update serviceexports')) reported.push(call)
    }
    await handle()
    expect(addressesIn(clusters.eu)).toEqual(['10.1.0.1', '10.2.0.9'])
    expect(reported).toEqual([])
    expect(conditionsOf(clusters.us)).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'True', reason: 'Exported' }),
    )
  })

  it('keeps the endpoints of a cluster whose place in the set is not certain, and fails with the reason', async () => {
    const problems: { us?: string } = {}
    const { clusters, handle } = openFleet({}, problems)
    await handle()
    problems.us = 'cluster "us" is in the sets "a" and "default"'
    clusters.us.remove(EXPORTS, 'web')
    clusters.eu.put(ENDPOINT_SLICES, sourceSlice('10.1.0.9'))
    await expect(handle()).rejects.toThrow('of us: cluster "us" is in the sets "a" and "default"')
    expect(addressesIn(clusters.eu)).toEqual(['10.1.0.9', '10.2.0.1'])
    expect(addressesIn(clusters.us)).toEqual(['10.1.0.1', '10.2.0.1'])
    delete problems.us
    await handle()
    for (const cluster of Object.values(clusters)) expect(addressesIn(cluster)).toEqual(['10.1.0.9'])
  })

  it('that is exported and is not there, or is an ExternalName, has its export say so until it is one to export', async () => {
    const { clusters, handle } = openFleet()
    const [service] = clusters.us.all(SERVICES)
    for (const cluster of Object.values(clusters)) cluster.remove(SERVICES, 'web')
    await handle()
    const valid = () => conditionsOf(clusters.us).find(({ type }) => type === 'Valid')
    expect(valid()).toMatchObject({ status: 'False', reason: 'NoService' })
    clusters.us.put(SERVICES, {
      metadata: service?.metadata ?? {},
      spec: { type: 'ExternalName', externalName: 'example.org' },
    })
    await handle()
    expect(valid()).toMatchObject({ status: 'False', reason: 'InvalidServiceType' })
    expect(clusters.eu.all(IMPORTS)).toEqual([])
    if (service !== undefined) clusters.us.put(SERVICES, service)
    await handle()
    expect(valid()).toMatchObject({ status: 'True', reason: 'Valid' })
    expect(addressesIn(clusters.eu)).toEqual(['10.2.0.1'])
  })

  it('leaves an import of somebody else alone, and says so on the exports', async () => {
    const { clusters, handle } = openFleet()
    const left = async (labels: Record<string, string>): Promise<string | undefined> => {
      const metadata = { name: 'web', namespace: 'shop', labels }
      clusters.us.put(IMPORTS, { metadata, spec: { type: 'Headless', ports: [] } })
      await handle()
      expect(clusters.us.all(IMPORTS)).toMatchObject([{ spec: { type: 'Headless' } }])
      expect(addressesIn(clusters.us)).toEqual([])
      const ready = conditionsOf(clusters.eu).find(({ type }) => type === 'Ready')
      return ready?.status === 'False' ? ready.message : undefined
    }
    const us = 'ServiceImport web of cluster us is'
    expect(await left({})).toBe(
      `${us} not of this cluster set, and is left alone: delete it, and Sliceflow creates its own`,
    )
    expect(await left({ 'sliceflow.dev/cluster-set': 'prod' })).toBe(
      `${us} of cluster set prod, and is left alone: call this set prod, or have that set remove it (role leave)`,
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

  it.each([
    ['the derived Service', SERVICES, DERIVED],
    ['the ServiceImport', IMPORTS, 'web'],
  ])('recognises %s without the label of the set by its owner or what it owns', async (_, kind, name) => {
    const { clusters, handle, restart } = openFleet()
    await handle()
    const found = () =>
      clusters.us.all<Service>(kind as never).find(({ metadata }) => metadata?.name === name)
    const { labels } = found()?.metadata ?? {}
    clusters.us.put(kind as never, { ...found(), metadata: { ...found()?.metadata, labels: {} } })
    restart()
    await handle()
    expect(found()?.metadata?.labels).toEqual(labels)
  })
})

describe('a namespace that a set does not share any more', () => {
  const importsIn = (cluster: MemoryCluster): number =>
    cluster.all(IMPORTS).length + cluster.all(ENDPOINT_SLICES).length + cluster.all(SERVICES).length

  it.each(['other', 'sh=leave'])(
    'keeps what is imported there, as that may be a mistake: %s',
    async (other) => {
      const { clusters, handle, restart } = openFleet()
      await handle()
      restart({}, [other])
      expect(await handle()).toEqual([])
      expect(addressesIn(clusters.eu)).toEqual(['10.1.0.1', '10.2.0.1'])
    },
  )

  it('and that leaves it loses what was imported there, and nothing else', async () => {
    const { clusters, handle, restart } = openFleet({ us: 'export' })
    const before = importsIn(clusters.eu)
    await handle()
    restart({}, ['shop=leave', '*'])
    await handle()
    expect(importsIn(clusters.eu)).toBe(before)
    expect(clusters.us.calls).toEqual([])
    expect(clusters.eu.all(EXPORTS)).toHaveLength(1)
    restart({}, ['*'])
    await handle()
    expect(addressesIn(clusters.eu)).toEqual(['10.1.0.1', '10.2.0.1'])
  })
})
