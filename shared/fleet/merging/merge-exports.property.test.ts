import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ClusterExport, type Condition, type Merge, mergeExports, withConditions } from '../index.ts'
import { CLUSTERS, exportOf, exportsArbitrary } from './merge-exports.arbitraries.ts'
import { conflictOf, wantedConditionOf } from './merge-exports.fixtures.ts'

const shuffled = <T>(items: readonly T[]): fc.Arbitrary<T[]> =>
  fc.shuffledSubarray([...items], { minLength: items.length, maxLength: items.length })

const byCluster = ({ merged, wantedConditions }: Merge): unknown => ({
  merged,
  wantedConditions: Object.fromEntries(wantedConditions),
})

const validOf = (exports: readonly ClusterExport[]): ClusterExport[] => {
  const clusters = mergeExports(exports).merged?.clusters ?? []
  return clusters.flatMap((cluster) => exports.find((item) => item.cluster === cluster) ?? [])
}

describe('whatever clusters export', () => {
  it('makes one result in any order', () => {
    const inTwoOrders = exportsArbitrary.chain((exports) => fc.tuple(fc.constant(exports), shuffled(exports)))
    fc.assert(
      fc.property(inTwoOrders, ([one, other]) => {
        expect(byCluster(mergeExports(other))).toEqual(byCluster(mergeExports(one)))
      }),
    )
  })

  it('gives an import that is that of its oldest valid export alone, but for more ports and clusters', () => {
    fc.assert(
      fc.property(exportsArbitrary, (exports) => {
        const { merged } = mergeExports(exports)
        const [oldest] = validOf(exports)
        const alone = mergeExports(oldest === undefined ? [] : [oldest]).merged
        expect(merged === undefined).toBe(alone === undefined)
        if (merged === undefined || alone === undefined) return
        const { ports, ...spec } = merged.spec
        const { ports: portsAlone, ...specAlone } = alone.spec
        expect({ ...merged, spec, clusters: [] }).toEqual({ ...alone, spec: specAlone, clusters: [] })
        expect(ports.slice(0, portsAlone.length)).toEqual(portsAlone)
      }),
    )
  })

  it('gives ports that one Service can have, and as many as go with those of older exports', () => {
    fc.assert(
      fc.property(exportsArbitrary, (exports) => {
        const ports = mergeExports(exports).merged?.spec.ports ?? []
        const names = new Set(ports.map(({ name }) => name))
        const numbers = new Set(ports.map(({ port, protocol }) => `${port}/${protocol}`))
        expect([names.size, numbers.size]).toEqual([ports.length, ports.length])
        expect(names.has(undefined)).toBe(names.has(undefined) && ports.length === 1)
        for (const { name, port, protocol } of validOf(exports).flatMap(
          ({ service }) => service?.spec?.ports ?? [],
        )) {
          const isUnnamed = names.has(undefined) || (name === undefined && ports.length > 0)
          expect(names.has(name) || numbers.has(`${port}/${protocol}`) || isUnnamed).toBe(true)
        }
      }),
    )
  })

  it('is reported on each valid export alike, and nothing of conflicts on the others', () => {
    fc.assert(
      fc.property(exportsArbitrary, (exports) => {
        const merge = mergeExports(exports)
        const valid = validOf(exports)
        expect(merge.wantedConditions.size).toBe(exports.length)
        for (const { cluster } of exports) {
          const isValid = valid.some((item) => item.cluster === cluster)
          expect(wantedConditionOf(merge, cluster, 'Valid')?.status).toBe(isValid ? 'True' : 'False')
          expect(wantedConditionOf(merge, cluster, 'Conflict') !== undefined).toBe(isValid)
        }
        expect(() => conflictOf(valid)).not.toThrow()
      }),
    )
  })

  it('has no conflict any more when the losers take over what the winner has', () => {
    fc.assert(
      fc.property(exportsArbitrary, (exports) => {
        const [winner, ...losers] = validOf(exports)
        if (winner === undefined) return
        const agreeing = losers.map((loser): ClusterExport => {
          const { spec, metadata: { annotations = {} } = {} } = winner.export
          const metadata = { ...loser.export.metadata, annotations }
          return { ...loser, service: winner.service, export: { metadata, ...(spec && { spec }) } }
        })
        expect(conflictOf([winner, ...agreeing])).toMatchObject({ status: 'False', reason: 'NoConflicts' })
      }),
    )
  })
})

/** Conditions as they are on the ServiceExports, by cluster. */
type Written = Map<string, Condition[]>

/** Writes the conditions of the exports; returns how many objects that changed. */
function settle(exports: readonly ClusterExport[], written: Written, now: string): number {
  let writes = 0
  for (const [cluster, wantedConditions] of mergeExports(exports).wantedConditions) {
    const conditions = withConditions(written.get(cluster), wantedConditions, { generation: 1, now })
    if (conditions === undefined) continue
    written.set(cluster, conditions)
    writes++
  }
  return writes
}

/** Undefined: the export is deleted, and its conditions with it. */
interface Event {
  readonly cluster: string
  readonly becomes: ClusterExport | undefined
}

const eventsOf = (cluster: string): fc.Arbitrary<Event[]> =>
  fc
    .array(fc.option(exportOf(cluster), { nil: undefined }), { maxLength: 4 })
    .map((states) => states.map((becomes) => ({ cluster, becomes })))

/** Returns the events of all clusters in an order in which those of each cluster keep theirs. */
function interleaved(events: readonly Event[], order: readonly Event[]): Event[] {
  const queues = new Map(
    CLUSTERS.map((cluster) => [cluster, events.filter((event) => event.cluster === cluster)]),
  )
  return order.flatMap(({ cluster }) => queues.get(cluster)?.shift() ?? [])
}

/** Lives through events, and syncs again after each of them, or only now and then. */
function liveThrough(events: readonly Event[], looksAt: (index: number) => boolean) {
  const state = new Map<string, ClusterExport>()
  const written: Written = new Map()
  for (const [index, { cluster, becomes }] of events.entries()) {
    if (becomes === undefined) {
      state.delete(cluster)
      written.delete(cluster)
    } else state.set(cluster, becomes)
    if (looksAt(index)) settle([...state.values()], written, `2026-01-01T00:00:${10 + index}Z`)
  }
  settle([...state.values()], written, '2026-01-02T00:00:00Z')
  return { exports: [...state.values()], written }
}

const withoutTimes = (written: Written): unknown =>
  Object.fromEntries(
    [...written].map(([cluster, conditions]) => [
      cluster,
      conditions
        .map(({ lastTransitionTime: _, ...condition }) => condition)
        .sort((a, b) => (a.type < b.type ? -1 : 1)),
    ]),
  )

describe('events of several clusters', () => {
  it('end in one state, in whatever order they come and however often it is synced', () => {
    const twoOrders = fc
      .tuple(...CLUSTERS.map(eventsOf))
      .map((lists) => lists.flat())
      .chain((events) =>
        fc.tuple(fc.constant(events), shuffled(events), shuffled(events), fc.infiniteStream(fc.boolean())),
      )
    fc.assert(
      fc.property(twoOrders, ([events, one, other, syncs]) => {
        const everyTime = liveThrough(interleaved(events, one), () => true)
        const nowAndThen = liveThrough(interleaved(events, other), () => syncs.next().value === true)
        expect(mergeExports(nowAndThen.exports).merged).toEqual(mergeExports(everyTime.exports).merged)
        expect(withoutTimes(nowAndThen.written)).toEqual(withoutTimes(everyTime.written))
      }),
    )
  })

  it('leave nothing to write when it is synced once more', () => {
    const events = fc.tuple(...CLUSTERS.map(eventsOf)).map((lists) => lists.flat())
    fc.assert(
      fc.property(events.chain(shuffled), (order) => {
        const { exports, written } = liveThrough(order, () => true)
        expect(settle(exports, written, '2026-01-03T00:00:00Z')).toBe(0)
      }),
    )
  })
})
