import { describe, expect, it } from 'vitest'
import { ConnectionError, ENDPOINT_SLICES, SERVICES } from '../kubernetes/index.ts'
import { EXPORTS, type Fleet, IMPORTS } from './reconcile-fleet.fixtures.ts'
import {
  IDS,
  type Id,
  importedIn,
  openRegions,
  resultsIn,
  servers,
  setEndpoints,
} from './regions.fixtures.ts'
import type { ServiceExport } from './resources.ts'

/** Cuts the connection to clusters, or mends it. */
function cut(fleet: Fleet<Id>, ids: readonly Id[], isCut: boolean): void {
  for (const id of ids)
    fleet.clusters[id].before = () => {
      if (isCut) throw new ConnectionError('it is cut', 'ECONNRESET')
    }
}

const servingAll = (fleet: Fleet<Id>, ids: readonly Id[] = IDS): Record<string, string[]> =>
  Object.fromEntries(ids.map((id) => [id, servers(fleet, id)]))

function exportTo(fleet: Fleet<Id>, exporter: Id, to: string | undefined): void {
  const [object] = fleet.clusters[exporter].all<ServiceExport>(EXPORTS)
  const annotations: Record<string, string> = to === undefined ? {} : { 'sliceflow.dev/export-to': to }
  fleet.clusters[exporter].put(EXPORTS, {
    ...object,
    metadata: { ...object?.metadata, annotations },
  } as ServiceExport)
}

describe('five clusters in three regions, each of which prefers itself, then its region, then any', () => {
  it('keep what a region out of reach exports; one without an endpoint in its own region is helped by it', async () => {
    const fleet = openRegions()
    await fleet.handle()
    const lost = ['us-1', 'us-2'] as const
    const left = ['eu-1', 'eu-2', 'ap-1'] as const
    cut(fleet, lost, true)
    await expect(fleet.handle()).rejects.toThrow('us-')
    expect(servingAll(fleet, left)).toEqual({ 'eu-1': ['eu-1'], 'eu-2': ['eu-2'], 'ap-1': ['ap-1'] })
    expect(importedIn(fleet, 'eu-1')).toHaveLength(IDS.length)
    expect(resultsIn(fleet, 'eu-1')).toEqual([['eu-1'], ['eu-1', 'eu-2']])

    // Of all that it could be served by, only clusters out of reach are left.
    for (const id of left) setEndpoints(fleet.clusters[id], [])
    await expect(fleet.handle()).rejects.toThrow('us-')
    for (const id of left) expect(servers(fleet, id)).toEqual([...lost])

    cut(fleet, lost, false)
    setEndpoints(fleet.clusters['eu-2'], [{ addresses: ['10.2.0.1'], conditions: { ready: true } }])
    await fleet.handle()
    expect(servingAll(fleet)).toEqual({
      ...{ 'eu-1': ['eu-2'], 'eu-2': ['eu-2'], 'us-1': ['us-1'], 'us-2': ['us-2'] },
      'ap-1': ['eu-2', 'us-1', 'us-2'],
    })
  })

  it('select among the exports that reach them, as the set of an export shrinks and widens', async () => {
    const fleet = openRegions()
    setEndpoints(fleet.clusters['ap-1'], [])
    await fleet.handle()
    expect(servers(fleet, 'ap-1')).toEqual(['eu-1', 'eu-2', 'us-1', 'us-2'])

    for (const id of ['eu-1', 'eu-2'] as const) exportTo(fleet, id, 'eu-*')
    await fleet.handle()
    expect(servers(fleet, 'ap-1')).toEqual(['us-1', 'us-2'])
    expect(resultsIn(fleet, 'ap-1')).toEqual([['ap-1'], ['ap-1']])
    expect(importedIn(fleet, 'ap-1')).toEqual(['10.3.0.1', '10.4.0.1'])
    expect(servers(fleet, 'eu-1')).toEqual(['eu-1'])

    for (const id of ['us-1', 'us-2', 'ap-1'] as const) fleet.clusters[id].remove(EXPORTS, 'web')
    await fleet.handle()
    expect(fleet.clusters['ap-1'].all(IMPORTS)).toEqual([])
    // Its own Service and slices are as they were.
    expect(fleet.clusters['ap-1'].all(SERVICES).map(({ metadata }) => metadata?.name)).toEqual(['web'])
    expect(fleet.clusters['ap-1'].all(ENDPOINT_SLICES).map(({ metadata }) => metadata?.name)).toEqual([
      'web-1',
    ])
    expect(resultsIn(fleet, 'eu-2')).toEqual([['eu-2'], ['eu-1', 'eu-2']])

    exportTo(fleet, 'eu-1', 'ap-1')
    exportTo(fleet, 'eu-2', undefined)
    await fleet.handle()
    expect(servers(fleet, 'ap-1')).toEqual(['eu-1', 'eu-2'])
    expect(servers(fleet, 'us-1')).toEqual(['eu-2'])
    expect(servers(fleet, 'eu-1')).toEqual(['eu-1'])
  })
})
