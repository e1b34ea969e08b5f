import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FleetVersions } from '../changes/index.ts'
import type { EndpointSlice } from '../endpointslice/index.ts'
import { type ApiObject, ENDPOINT_SLICES, type Resource, SERVICES } from '../kubernetes/index.ts'
import type { MemoryCluster } from '../reconciler/memory-cluster.fixtures.ts'
import { LABEL_SOURCE_CLUSTER } from './index.ts'
import {
  addressesIn,
  EXPORTS,
  type Fleet,
  IMPORTS,
  openFleet,
  sourceSlice,
} from './reconcile-fleet.fixtures.ts'

const isWrite = (call: string): boolean => !/^(get|list) /.test(call)

/**
 * Ends the process at its write of this number: from then on nothing that it sends arrives, or no answer
 * comes back to it.
 */
function endAtWrite({ clusters }: Fleet, number: number): { readonly wasReached: () => boolean } {
  let writes = 0
  for (const cluster of Object.values(clusters))
    cluster.before = (call) => {
      if (isWrite(call)) writes++
      if (writes >= number) throw new Error('the process was killed')
    }
  return { wasReached: () => writes >= number }
}

const goOn = ({ clusters }: Fleet): void => {
  for (const cluster of Object.values(clusters)) cluster.before = () => undefined
}

/** Changes of a set that syncs are interrupted at, by what happens. */
const CHANGES: Readonly<Record<string, (fleet: Fleet) => void>> = {
  'the first import': () => undefined,
  'a change of endpoints': ({ clusters }) =>
    void clusters.us.put(ENDPOINT_SLICES, sourceSlice('10.2.0.1', '10.2.0.2')),
  'a change of ports': ({ clusters }) =>
    void clusters.eu.put(SERVICES, {
      metadata: { name: 'web', namespace: 'shop' },
      spec: { ports: [{ name: 'http', port: 81, protocol: 'TCP' }] },
    }),
  'a Service that becomes headless': ({ clusters }) => {
    for (const cluster of Object.values(clusters))
      cluster.put(SERVICES, {
        metadata: { name: 'web', namespace: 'shop' },
        spec: { clusterIP: 'None', ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
      })
  },
  'a policy': ({ clusters }) => preferOwn(clusters.eu),
  'a failover': ({ clusters }) => void clusters.us.put(ENDPOINT_SLICES, unreadySlice('10.2.0.1')),
  'a return from a failover': ({ clusters }) =>
    void clusters.us.put(ENDPOINT_SLICES, sourceSlice('10.2.0.1')),
  'the end of one export': ({ clusters }) => clusters.eu.remove(EXPORTS, 'web'),
  'the end of all exports': ({ clusters }) => {
    for (const cluster of Object.values(clusters)) cluster.remove(EXPORTS, 'web')
  },
}

/** States that a set is in before some of the changes. */
const BEFORE: Readonly<Record<string, (fleet: Fleet) => void>> = {
  'a failover': ({ clusters }) => preferOwn(clusters.eu),
  'a return from a failover'({ clusters }) {
    preferOwn(clusters.eu)
    clusters.us.put(ENDPOINT_SLICES, unreadySlice('10.2.0.1'))
  },
}

function preferOwn(cluster: MemoryCluster): void {
  const annotations = { 'sliceflow.dev/fleet-policy': '{"prefer":"own"}' }
  cluster.put(EXPORTS, { metadata: { name: 'web', namespace: 'shop', annotations } })
}

function unreadySlice(...addresses: readonly string[]): EndpointSlice {
  const slice = sourceSlice(...addresses)
  return {
    ...slice,
    endpoints: (slice.endpoints ?? []).map((endpoint) => ({ ...endpoint, conditions: { ready: false } })),
  }
}

async function prepare(change: string): Promise<Fleet> {
  const fleet = openFleet()
  BEFORE[change]?.(fleet)
  if (change !== 'the first import') await fleet.handle()
  CHANGES[change]?.(fleet)
  return fleet
}

describe('a function that is killed between two writes', () => {
  it.each(Object.keys(CHANGES))(
    'of %s leaves nothing that the next one does not put right',
    async (change) => {
      const undisturbed = await prepare(change)
      await undisturbed.handle()
      let kills = 0
      for (let number = 1; ; number++) {
        const fleet = await prepare(change)
        const { wasReached } = endAtWrite(fleet, number)
        await fleet.handle().catch(() => undefined)
        if (!wasReached()) break
        kills++
        goOn(fleet)
        fleet.restart()
        await fleet.handle()
        expect(fleet.state(), `killed at write ${number}`).toEqual(undisturbed.state())
        fleet.restart()
        expect((await fleet.handle()).filter((call) => isWrite(call.slice(4)))).toEqual([])
      }
      expect(kills).toBeGreaterThan(1)
    },
  )
})

describe('messages of a cluster set', () => {
  const cluster = fc.constantFrom('eu' as const, 'us' as const)
  const step = fc.oneof(
    fc.record({ kind: fc.constant('publish'), cluster, address: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ kind: fc.constantFrom('export', 'unexport', 'stop', 'edit'), cluster }),
    fc.record({ kind: fc.constant('deliver'), message: fc.nat(20) }),
  )

  it('that come twice, late, in another order and to another process end in one and the same state', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const fleet = openFleet()
        const sent: (FleetVersions | undefined)[] = [undefined]
        for (const each of steps) {
          if ('message' in each) await fleet.handle(sent[each.message % sent.length])
          else change(fleet, each)
          sent.push(fleet.versions())
        }
        await fleet.handle(fleet.versions())
        const end = fleet.state()
        for (const versions of sent.toReversed()) {
          await fleet.handle(fleet.versions())
          await fleet.handle(versions)
          expect(fleet.state()).toEqual(end)
        }
        fleet.restart()
        await fleet.handle()
        expect(fleet.state()).toEqual(end)
        const published = addressesIn(fleet.clusters.eu)
        expect(published).toEqual(expectedIn(fleet))
        expect(addressesIn(fleet.clusters.us)).toEqual(published)
      }),
      { numRuns: 30 },
    )
  })

  interface Step {
    readonly kind: string
    readonly cluster: 'eu' | 'us'
    readonly address?: number
  }

  function change(fleet: Fleet, { kind, cluster: name, address = 0 }: Step): void {
    const at = fleet.clusters[name]
    if (kind === 'publish') at.put(ENDPOINT_SLICES, sourceSlice(`10.${name === 'eu' ? 1 : 2}.0.${address}`))
    if (kind === 'export' && at.all(EXPORTS).length === 0)
      at.put(EXPORTS, { metadata: { name: 'web', namespace: 'shop' } })
    if (kind === 'unexport') at.remove(EXPORTS, 'web')
    if (kind === 'stop') fleet.restart()
    if (kind === 'edit') edit(fleet, name)
  }

  /** Writes into an import as somebody else. */
  function edit({ clusters }: Fleet, name: 'eu' | 'us'): void {
    const [object] = clusters[name].all(IMPORTS)
    if (object !== undefined)
      clusters[name].put(IMPORTS, { ...object, spec: { type: 'Headless', ports: [] } })
  }

  const expectedIn = ({ clusters }: Fleet): string[] =>
    Object.values(clusters)
      .filter((each) => each.all(EXPORTS).length > 0)
      .flatMap((each) => each.all(ENDPOINT_SLICES))
      .filter(({ metadata }) => metadata?.labels?.[LABEL_SOURCE_CLUSTER] === undefined)
      .flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses))
      .sort()
})

describe('a cluster that leaves a set', () => {
  it('has what was imported there removed, and nothing of others, and gives nothing any more', async () => {
    const fleet = openFleet({ us: 'leave' })
    const joined = openFleet()
    await joined.handle()
    const { us } = joined.clusters
    for (const resource of [IMPORTS, SERVICES, ENDPOINT_SLICES] as readonly Resource<ApiObject>[])
      for (const object of us.all(resource)) fleet.clusters.us.put(resource, object)
    const foreign = { metadata: { name: 'theirs', namespace: 'shop' }, spec: { type: 'Headless', ports: [] } }
    fleet.clusters.us.put(IMPORTS, foreign as object)
    await fleet.handle()
    expect(addressesIn(fleet.clusters.us)).toEqual([])
    expect(fleet.clusters.us.all(IMPORTS)).toMatchObject([foreign])
    expect(fleet.clusters.us.all(SERVICES).map(({ metadata }) => metadata?.name)).toEqual(['web'])
    expect(addressesIn(fleet.clusters.eu)).toEqual(['10.1.0.1'])
  })
})
