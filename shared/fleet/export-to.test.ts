import { describe, expect, it } from 'vitest'
import { ENDPOINT_SLICES, SERVICES } from '../kubernetes/index.ts'
import type { MemoryCluster } from '../reconciler/memory-cluster.fixtures.ts'
import {
  addressesIn,
  conditionsOf,
  EXPORTS,
  type Fleet,
  IMPORTS,
  openFleetOf,
  sourceSlice,
} from './reconcile-fleet.fixtures.ts'
import type { ServiceExport, ServiceImport } from './resources.ts'

const IDS = ['eu-1', 'eu-2', 'us-1', 'us-2'] as const
type Id = (typeof IDS)[number]

/** Opens four clusters that all have the Service, of which these export it, each to the clusters given. */
function openExports(exporters: Partial<Record<Id, string | undefined>>): Fleet<Id> {
  const fleet = openFleetOf(IDS, {}, {})
  for (const id of IDS) {
    if (id in exporters) exportTo(fleet.clusters[id], exporters[id])
    else fleet.clusters[id].remove(EXPORTS, 'web')
  }
  return fleet
}

function exportTo(cluster: MemoryCluster, to: string | undefined, minute = 0): void {
  const annotations: Record<string, string> = to === undefined ? {} : { 'sliceflow.dev/export-to': to }
  const creationTimestamp = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
  const [before] = cluster.all<ServiceExport>(EXPORTS)
  cluster.put(EXPORTS, {
    ...before,
    metadata: { name: 'web', namespace: 'shop', creationTimestamp, annotations },
  })
}

const importedIn = (fleet: Fleet<Id>): Partial<Record<Id, string[]>> =>
  Object.fromEntries(
    IDS.flatMap((id) =>
      fleet.clusters[id].all(IMPORTS).length === 0 ? [] : [[id, addressesIn(fleet.clusters[id])]],
    ),
  )

const clustersOf = (cluster: MemoryCluster): unknown =>
  cluster.all<ServiceExport>(EXPORTS)[0]?.status?.clusters?.map((each) => each.cluster)

const conditionOf = (cluster: MemoryCluster, type: string) =>
  conditionsOf(cluster).find((condition) => condition.type === type)

describe('an export for some clusters of its set', () => {
  it('is imported in these and its own, and says where', async () => {
    const fleet = openExports({ 'eu-1': 'us-*' })
    await fleet.handle()
    expect(importedIn(fleet)).toEqual({ 'eu-1': ['10.1.0.1'], 'us-1': ['10.1.0.1'], 'us-2': ['10.1.0.1'] })
    expect(clustersOf(fleet.clusters['eu-1'])).toEqual(['eu-1', 'us-1', 'us-2'])
    expect(conditionOf(fleet.clusters['eu-1'], 'Ready')?.status).toBe('True')
    await fleet.handle()
    const writes = (await fleet.handle()).filter((call) => / (create|update|patch|delete) /.test(call))
    expect(writes).toEqual([])
  })

  it('is taken from a cluster that it is no longer for, which keeps all else, and comes to one that it is for now', async () => {
    const fleet = openExports({ 'eu-1': 'us-1, us-2' })
    await fleet.handle()
    const left = fleet.clusters['us-2']
    exportTo(fleet.clusters['eu-1'], 'us-1,eu-2')
    await fleet.handle()
    expect(importedIn(fleet)).toEqual({ 'eu-1': ['10.1.0.1'], 'eu-2': ['10.1.0.1'], 'us-1': ['10.1.0.1'] })
    expect(left.all(SERVICES).map(({ metadata }) => metadata?.name)).toEqual(['web'])
    expect(left.all(ENDPOINT_SLICES).map(({ metadata }) => metadata?.name)).toEqual(['web-1'])
    expect(clustersOf(fleet.clusters['eu-1'])).toEqual(['eu-1', 'eu-2', 'us-1'])
    exportTo(fleet.clusters['eu-1'], undefined)
    await fleet.handle()
    expect(Object.keys(importedIn(fleet))).toEqual([...IDS])
    expect(clustersOf(fleet.clusters['eu-1'])).toBeUndefined()
  })

  it('is merged in each cluster with those exports alone that reach it, and in conflict with these', async () => {
    const fleet = openExports({})
    const { clusters } = fleet
    exportTo(clusters['eu-1'], 'us-1', 0)
    exportTo(clusters['eu-2'], 'us-2', 1)
    clusters['eu-2'].put(SERVICES, {
      metadata: { name: 'web', namespace: 'shop' },
      spec: { sessionAffinity: 'ClientIP', ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
    })
    await fleet.handle()
    expect(importedIn(fleet)).toEqual({
      'eu-1': ['10.1.0.1'],
      'eu-2': ['10.2.0.1'],
      'us-1': ['10.1.0.1'],
      'us-2': ['10.2.0.1'],
    })
    const affinityIn = (id: Id) => clusters[id].all<ServiceImport>(IMPORTS)[0]?.spec?.sessionAffinity
    expect([affinityIn('us-1'), affinityIn('us-2')]).toEqual(['None', 'ClientIP'])
    for (const id of ['eu-1', 'eu-2'] as const)
      expect(conditionOf(clusters[id], 'Conflict')?.status).toBe('False')

    exportTo(clusters['eu-2'], 'us-*', 1)
    await fleet.handle()
    expect(importedIn(fleet)['us-1']).toEqual(['10.1.0.1', '10.2.0.1'])
    expect([affinityIn('us-1'), affinityIn('us-2')]).toEqual(['None', 'ClientIP'])
    for (const id of ['eu-1', 'eu-2'] as const)
      expect(conditionOf(clusters[id], 'Conflict')).toMatchObject({
        status: 'True',
        reason: expect.stringContaining('SessionAffinityConflict'),
      })
  })

  it('follows its endpoints where it is, and nowhere else', async () => {
    const fleet = openExports({ 'eu-1': 'us-1' })
    await fleet.handle()
    fleet.clusters['eu-1'].put(ENDPOINT_SLICES, sourceSlice('10.1.0.2'))
    const calls = await fleet.handle()
    expect(importedIn(fleet)).toEqual({ 'eu-1': ['10.1.0.2'], 'us-1': ['10.1.0.2'] })
    expect(calls.filter((call) => /^(us-2|eu-2): (create|update|patch|delete) /.test(call))).toEqual([])
  })

  it.each(['', ' ', 'us-1;us-2', 'US-1', 'us-1,,us-2', `${'a,'.repeat(1500)}a`])(
    'is refused where %j says for which, as it is not to be published anywhere else',
    async (to) => {
      const fleet = openExports({ 'eu-1': to })
      await fleet.handle()
      expect(importedIn(fleet)).toEqual({})
      expect(conditionOf(fleet.clusters['eu-1'], 'Valid')).toMatchObject({
        status: 'False',
        reason: 'InvalidExportTo',
        message: expect.stringContaining('such as eu-*,us-1'),
      })
    },
  )
})
