import { expect, it } from 'vitest'
import type { ClusterSetMember } from '../cluster-sets/index.ts'
import type { Service } from '../endpointslice/index.ts'
import { ENDPOINT_SLICES, EVENTS, SERVICES } from '../kubernetes/index.ts'
import type { MemoryCluster } from '../reconciler/memory-cluster.fixtures.ts'
import { addressesIn, openFleet, sourceSlice } from './reconcile-fleet.fixtures.ts'

const OTHERS: Readonly<Record<string, readonly ClusterSetMember[]>> = {
  'that knows the clusters by other ids': [
    { cluster: 'eu', id: 'azure', role: 'both' },
    { cluster: 'us', id: 'ruby', role: 'both' },
  ],
  'that lacks one of the clusters': [{ cluster: 'eu', id: 'eu', role: 'both' }],
  'in which one of the clusters only imports': [
    { cluster: 'eu', id: 'eu', role: 'both' },
    { cluster: 'us', id: 'us', role: 'import' },
  ],
  'that one of the clusters leaves': [
    { cluster: 'eu', id: 'eu', role: 'both' },
    { cluster: 'us', id: 'us', role: 'leave' },
  ],
}

const NO_IMPORTER: readonly ClusterSetMember[] = [
  { cluster: 'eu', id: 'azure', role: 'export' },
  { cluster: 'us', id: 'ruby', role: 'export' },
]

const isWrite = (call: string): boolean =>
  /^(create|update|patch|delete) /.test(call) && !call.includes(' events ')
const writesIn = (clusters: Readonly<Record<string, MemoryCluster>>): number =>
  Object.values(clusters).flatMap(({ calls }) => calls.filter(isWrite)).length

/** Opens a fleet, and another Sliceflow beside it that knows the members otherwise. */
function openTwo(which: string, roles: Parameters<typeof openFleet>[0] = {}) {
  let now = Date.UTC(2026, 0, 1)
  const failures: string[] = []
  const { clusters, handle, beside } = openFleet(roles, {}, { now: () => now })
  const other = beside(OTHERS[which] ?? NO_IMPORTER)
  /** Has both sync once a second; returns the number of writes. */
  const play = async (seconds: number): Promise<number> => {
    let writes = 0
    for (let second = 0; second < seconds; second++) {
      for (const one of [handle, other]) {
        for (const { calls } of Object.values(clusters)) calls.length = 0
        await one().catch(({ message }: Error) => failures.push(message))
        writes += writesIn(clusters)
      }
      now += 1_000
    }
    return writes
  }
  return { clusters, failures, play }
}

it.each(Object.keys(OTHERS))(
  'a Sliceflow beside another one %s stops rewriting its imports, and says so',
  async (which) => {
    const { clusters, failures, play } = openTwo(which)
    const first = await play(30)
    const later = await play(120)
    // Each change of their own mind costs a handful of objects.
    expect(first).toBeLessThan(160)
    expect(later).toBeLessThan(60)
    expect(failures.join()).toMatch(/another Sliceflow \(writer [-\w]{8}\) with other settings or other ids/)
    clusters.eu.put(ENDPOINT_SLICES, sourceSlice('10.1.0.7'))
    await play(1)
    expect(addressesIn(clusters.eu)).toContain('10.1.0.7')
    expect(clusters.eu.all(EVENTS).map(({ reason }) => reason)).toContain('SliceFight')
  },
)

it.each(Object.keys(OTHERS))(
  'a Sliceflow beside another one %s stops rewriting imports without slices, too, and says so',
  async (which) => {
    const { clusters, failures, play } = openTwo(which)
    const { ports } = clusters.us.all<Service>(SERVICES)[0]?.spec ?? {}
    clusters.us.put<Service>(SERVICES, {
      metadata: { name: 'web', namespace: 'shop' },
      spec: { ports: [...(ports ?? []), { name: 'admin', port: 81, protocol: 'TCP' }] },
    })
    for (const cluster of Object.values(clusters)) cluster.remove(ENDPOINT_SLICES, 'web-1')
    expect(await play(30)).toBeLessThan(200)
    expect(await play(120)).toBeLessThan(40)
    expect(failures.join()).toMatch(/another Sliceflow \(writer [-\w]{8}\) with other settings or other ids/)
    expect(clusters.eu.all(EVENTS).map(({ reason }) => reason)).toContain('SliceFight')
  },
)

it('a Sliceflow beside another one that calls exporting clusters otherwise stops rewriting exports that none imports', async () => {
  const { clusters, failures, play } = openTwo('', { eu: 'export', us: 'export' })
  clusters.us.put<Service>(SERVICES, {
    metadata: { name: 'web', namespace: 'shop' },
    spec: { ports: [{ name: 'http', port: 81, protocol: 'TCP' }] },
  })
  expect(await play(30)).toBeLessThan(80)
  expect(await play(120)).toBeLessThan(12)
  expect(failures.join()).toMatch(/another Sliceflow/)
})

it('a Sliceflow that sees a conflict where another one sees none stops rewriting the exports, too', async () => {
  const { clusters, play } = openTwo('that lacks one of the clusters')
  const spec = { ports: [{ name: 'admin', port: 81, protocol: 'TCP' }] }
  clusters.us.put<Service>(SERVICES, { metadata: { name: 'web', namespace: 'shop' }, spec })
  await play(30)
  expect(await play(120)).toBeLessThan(60)
})

it('a Sliceflow that is restarted with other ids brings all imports up to date at once', async () => {
  const { clusters, handle, beside } = openFleet()
  await handle()
  const after = beside(OTHERS['that knows the clusters by other ids'] ?? [])
  for (let count = 0; count < 9; count++) await after()
  for (const cluster of [clusters.eu, clusters.us]) {
    const sources = cluster
      .all(ENDPOINT_SLICES)
      .flatMap(({ metadata }) => metadata?.labels?.['multicluster.kubernetes.io/source-cluster'] ?? [])
    expect(new Set(sources)).toEqual(new Set(['azure', 'ruby']))
  }
})
