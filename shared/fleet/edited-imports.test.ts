import { expect, it } from 'vitest'
import type { EndpointSlice, Service } from '../endpointslice/index.ts'
import { ENDPOINT_SLICES, EVENTS, SERVICES } from '../kubernetes/index.ts'
import type { MemoryCluster } from '../reconciler/memory-cluster.fixtures.ts'
import { addressesIn, openFleet, sourceSlice } from './reconcile-fleet.fixtures.ts'
import { type ServiceExport, type ServiceImport, serviceExports, serviceImports } from './resources.ts'

const IMPORTS = serviceImports('v1alpha1')
const EXPORTS = serviceExports('v1alpha1')

const isWrite = (call: string): boolean =>
  /^(create|update|patch|delete) /.test(call) && !call.includes(' events ')

/** Opens a fleet beside a controller that edits something of the cluster `eu` once a second. */
async function openEdited(edit: (eu: MemoryCluster) => void) {
  let now = Date.UTC(2026, 0, 1)
  const failures: string[] = []
  const { clusters, handle } = openFleet({}, {}, { now: () => now })
  const play = async (seconds: number): Promise<number> => {
    let writes = 0
    for (let second = 0; second < seconds; second++) {
      edit(clusters.eu)
      clusters.eu.calls.length = 0
      await handle().catch(({ message }: Error) => failures.push(message))
      writes += clusters.eu.calls.filter(isWrite).length
      now += 1_000
    }
    return writes
  }
  await handle()
  return { eu: clusters.eu, failures, play }
}

const edits: Record<string, (eu: MemoryCluster) => void> = {
  'the ports of an import': (eu) => {
    for (const each of eu.all<ServiceImport>(IMPORTS))
      eu.put(IMPORTS, { ...each, spec: { type: 'ClusterSetIP', ports: [{ port: 1, protocol: 'TCP' }] } })
  },
  'the status of an import': (eu) => {
    for (const each of eu.all<ServiceImport>(IMPORTS))
      eu.put(IMPORTS, { ...each, status: { ...each.status, clusters: [{ cluster: 'x' }] } })
  },
  'the ports of a derived Service': (eu) => {
    for (const each of eu.all<Service>(SERVICES).filter(({ metadata }) => metadata?.name !== 'web'))
      eu.put(SERVICES, { ...each, spec: { ...each.spec, ports: [{ port: 1, protocol: 'TCP' }] } })
  },
}

it.each(Object.entries(edits))('who keeps editing %s is answered at growing intervals', async (_, edit) => {
  const { eu, failures, play } = await openEdited(edit)
  expect(await play(30)).toBeGreaterThan(0)
  expect(await play(120)).toBeLessThan(8)
  expect(failures.join()).toMatch(/ of Service shop\/web of clusterset:[a-z]+: .* keeps undoing it/)
  expect(eu.all(EVENTS).map(({ reason }) => reason)).toContain('SliceFight')
  // What is not fought about is published meanwhile, and repaired.
  eu.put(ENDPOINT_SLICES, sourceSlice('10.1.0.7'))
  await play(1)
  expect(addressesIn(eu)).toContain('10.1.0.7')
  const [mine] = eu.all<EndpointSlice>(ENDPOINT_SLICES).filter(({ metadata }) => metadata?.name !== 'web-1')
  eu.remove(ENDPOINT_SLICES, mine?.metadata?.name ?? '')
  await play(1)
  expect(addressesIn(eu)).toContain('10.1.0.7')
})

it('who keeps editing the conditions of an export is answered at growing intervals', async () => {
  const { failures, play } = await openEdited((eu) => {
    for (const each of eu.all<ServiceExport>(EXPORTS))
      eu.put(EXPORTS, { ...each, status: { conditions: [] } })
  })
  expect(await play(30)).toBeGreaterThan(0)
  expect(await play(120)).toBeLessThan(8)
  expect(failures.join()).toMatch(/keeps undoing it/)
})
