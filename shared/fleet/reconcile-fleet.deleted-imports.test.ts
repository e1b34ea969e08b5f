import { expect, it } from 'vitest'
import { isSealed } from '../changes/index.ts'
import type { EndpointSlice } from '../endpointslice/index.ts'
import { ConnectionError, ENDPOINT_SLICES, NotFoundError } from '../kubernetes/index.ts'
import type { MemoryCluster } from '../reconciler/memory-cluster.fixtures.ts'
import { CONDITION_UNREACHABLE, LABEL_SOURCE_CLUSTER, type ServiceImport } from './index.ts'
import { addressesIn, EXPORTS, IMPORTS, openFleetOf } from './reconcile-fleet.fixtures.ts'

const openThree = (unreachableCluster: 'keep' | 'expire') =>
  openFleetOf(['a', 'b', 'c'], { c: 'import' }, {}, { settings: { unreachableCluster } })

const importedSlices = (cluster: MemoryCluster): EndpointSlice[] =>
  cluster
    .all<EndpointSlice>(ENDPOINT_SLICES)
    .filter(({ metadata }) => metadata?.labels?.[LABEL_SOURCE_CLUSTER] !== undefined)

function fail(cluster: MemoryCluster): void {
  cluster.before = () => {
    throw new ConnectionError('connect', 'ECONNREFUSED')
  }
}

it.each(['keep', 'expire'] as const)(
  'a ServiceImport that is deleted without its slices in an outage of a member keeps the part of it: %s',
  async (unreachableCluster) => {
    const { clusters, handle, restart } = openThree(unreachableCluster)
    await handle()
    fail(clusters.b)
    clusters.c.remove(IMPORTS, 'web')
    restart()
    await expect(handle()).rejects.toThrow('failed to bring')
    expect(addressesIn(clusters.c)).toEqual(['10.1.0.1', '10.2.0.1'])
    const [object] = clusters.c.all<ServiceImport>(IMPORTS)
    const slices = importedSlices(clusters.c)
    const owners = slices.map(({ metadata }) => metadata?.ownerReferences?.map(({ uid }) => uid))
    expect(owners).toEqual([[object?.metadata?.uid], [object?.metadata?.uid]])
    expect(slices.every(isSealed)).toBe(true)
    const types = object?.status?.conditions?.map(({ type }) => type)
    expect(types).toContain(CONDITION_UNREACHABLE)
  },
)

it('the slices of the only member that exports stay where the ServiceImport is deleted in its outage', async () => {
  const { clusters, handle, restart } = openThree('keep')
  clusters.a.remove(EXPORTS, 'web')
  await handle()
  fail(clusters.b)
  clusters.c.remove(IMPORTS, 'web')
  for (const _ of [1, 2]) {
    restart()
    await expect(handle()).rejects.toThrow('failed to bring')
  }
  expect(importedSlices(clusters.c)).toHaveLength(1)
  clusters.b.before = () => undefined
  await handle()
  expect(clusters.c.all(IMPORTS)).toHaveLength(1)
  expect(addressesIn(clusters.c)).toEqual(['10.2.0.1'])
})

it('an import is not taken for removed where a proxy answers that there is nothing', async () => {
  const { clusters, handle } = openThree('keep')
  await handle()
  for (const cluster of [clusters.a, clusters.b]) cluster.remove(EXPORTS, 'web')
  clusters.c.before = (call) => {
    if (call.startsWith('delete serviceimports')) throw new NotFoundError('404 page not found', 404, {})
  }
  await expect(handle()).rejects.toThrow('404 page not found')
})
