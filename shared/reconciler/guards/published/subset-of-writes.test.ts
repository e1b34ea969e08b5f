import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../../../endpointslice/index.ts'
import type { Changes } from '../../slice-changes.ts'
import { addresses, changes, slice } from '../slices.fixtures.ts'
import { publishedIn, slicesAfter, slicesByName } from './published-addresses.ts'
import { safePart } from './subset-of-writes.ts'

const names = (slices: readonly EndpointSlice[]): (string | undefined)[] =>
  slices.map(({ metadata }) => metadata?.name)
const published = (slices: Iterable<EndpointSlice>): Set<string> =>
  new Set([...slices].flatMap((one) => [...publishedIn(one)]))
const sizeOf = (plan: Changes): number => plan.create.length + plan.update.length + plan.delete.length

/** Makes slices that swap their endpoints. */
const knot = () => ({
  slices: [slice('a', { addresses: ['10.0.0.1'] }), slice('b', { addresses: ['10.0.0.2'] })],
  swap: [slice('a', { addresses: ['10.0.0.2'] }), slice('b', { addresses: ['10.0.0.1'] })],
})

describe('a part of a plan', () => {
  it('is the whole plan without a limit', () => {
    const plan = changes({ delete: [slice('a')] })
    expect(safePart([slice('a')], plan, {})).toEqual({ changes: plan, postponed: 0 })
  })

  it('adds first', () => {
    const slices = [slice('a', { addresses: addresses(2) }), slice('b', { addresses: addresses(2, 11) })]
    const plan = changes({
      create: [slice('c', { addresses: addresses(2, 21) })],
      update: [slice('a', { addresses: addresses(1) })],
      delete: [slice('b')],
    })
    const { changes: part, postponed } = safePart(slices, plan, { maximumWrites: 2 })
    expect([names(part.create), names(part.update), names(part.delete)]).toEqual([['c'], ['a'], []])
    expect(postponed).toBe(1)
  })

  it('moves no endpoint away before it has come to its new place', () => {
    const slices = [slice('a', { addresses: ['10.0.0.1'] }), slice('b', { addresses: ['10.0.0.2'] })]
    const plan = changes({
      update: [slice('a', { addresses: [] }), slice('b', { addresses: ['10.0.0.1', '10.0.0.2'] })],
    })
    expect(names(safePart(slices, plan, { maximumWrites: 1 }).changes.update)).toEqual(['b'])
  })

  it('is none of updates that change nothing, which would be first in every part', () => {
    const slices = [
      slice('a'),
      slice('b', { addresses: ['10.0.0.2'] }),
      slice('c', { addresses: ['10.0.0.3'] }),
    ]
    const plan = changes({ update: [slice('a')], delete: slices.slice(1) })
    const { changes: part, postponed } = safePart(slices, plan, { maximumWrites: 1 })
    expect([names(part.update), names(part.delete), postponed]).toEqual([[], ['b'], 1])
  })

  it('holds slices together that swap their endpoints', () => {
    const { slices, swap } = knot()
    const plan = changes({ update: swap })
    expect(safePart(slices, plan, { maximumWrites: 1 })).toEqual({ changes: plan, postponed: 0 })
  })

  it('is the whole plan where its limit is as large, though some of it is a knot', () => {
    const { slices, swap } = knot()
    const plan = changes({ create: [slice('c', { addresses: ['10.0.0.3'] })], update: swap })
    expect(safePart(slices, plan, { maximumWrites: 3 })).toEqual({ changes: plan, postponed: 0 })
  })

  it('leaves a knot to the next part where anything else may be written', () => {
    const { slices, swap } = knot()
    const others = [slice('c', { addresses: ['10.0.0.3'] }), slice('d', { addresses: ['10.0.0.4'] })]
    const plan = changes({ update: swap, delete: others })
    expect(safePart([...slices, ...others], plan, { maximumWrites: 3 })).toEqual({
      changes: changes({ delete: others }),
      postponed: 2,
    })
  })

  it('is nothing where all that is beyond the limit changes nothing', () => {
    const slices = [slice('a'), slice('b')]
    const part = safePart(slices, changes({ update: slices }), { maximumWrites: 1 })
    expect(part).toEqual({ changes: changes(), postponed: 0 })
  })

  it.each([
    [1, ['c'], 2],
    [2, ['a', 'c'], 1],
    [3, ['a', 'b', 'c'], 0],
  ])(
    'of %i writes takes endpoints out of their places once they have come to another',
    (most, taken, left) => {
      const slices = [
        slice('a', { addresses: ['10.0.0.1'] }),
        slice('b', { addresses: ['10.0.0.2'] }),
        slice('c'),
        slice('d'),
      ]
      const update = [slice('a'), slice('b'), slice('c', { addresses: ['10.0.0.1', '10.0.0.2'] }), slice('d')]
      const { changes: part, postponed } = safePart(slices, changes({ update }), { maximumWrites: most })
      expect([names(part.update).toSorted(), postponed]).toEqual([taken, left])
    },
  )

  it.each([
    [1, ['c'], 2],
    [2, ['b', 'c'], 1],
  ])('of %i writes goes on as far as each makes way for the next', (most, taken, left) => {
    const slices = [
      slice('a', { addresses: ['10.0.0.1'] }),
      slice('b', { addresses: ['10.0.0.2'] }),
      slice('c'),
    ]
    const update = [
      slice('a'),
      slice('b', { addresses: ['10.0.0.1'] }),
      slice('c', { addresses: ['10.0.0.2'] }),
    ]
    const { changes: part, postponed } = safePart(slices, changes({ update }), { maximumWrites: most })
    expect([names(part.update).toSorted(), postponed]).toEqual([taken, left])
  })

  it.each([
    [2, ['a', 'c'], 2],
    [3, ['a', 'b', 'c'], 1],
  ])(
    'of %i writes takes an endpoint out of one of its two places, and out of both once it has a third',
    (most, taken, left) => {
      const slices = [
        slice('a', { addresses: ['10.0.0.1'] }),
        slice('b', { addresses: ['10.0.0.1'] }),
        slice('c'),
        slice('d', { addresses: ['10.0.0.4'] }),
      ]
      const update = [slice('a'), slice('b'), slice('c', { addresses: ['10.0.0.1'] })]
      const plan = changes({ update, delete: slices.slice(3) })
      const excluded = new Set(['d'])
      const { changes: part, postponed } = safePart(slices, plan, { maximumWrites: most, excluded })
      expect([names(part.update).toSorted(), postponed]).toEqual([taken, left])
    },
  )

  it('leaves out what is excluded, and what would take an endpoint out that was to go there', () => {
    const slices = [slice('a', { addresses: ['10.0.0.1'] }), slice('b', { addresses: ['10.0.0.2'] })]
    const plan = changes({
      update: [slice('a', { addresses: ['10.0.0.3'] }), slice('b', { addresses: ['10.0.0.1'] })],
    })
    const part = safePart(slices, plan, { excluded: new Set(['b']) })
    expect(part).toEqual({ changes: changes(), postponed: 2 })
  })
})

/** Slices before and after: some stay, some come, some go, and addresses move among them freely. */
const states = fc.record({
  before: slicesOf(['a', 'b', 'c', 'd']),
  after: slicesOf(['b', 'c', 'd', 'e', 'f']),
})

function slicesOf(some: readonly string[]): fc.Arbitrary<EndpointSlice[]> {
  const contents = fc.array(fc.subarray(addresses(6)), { minLength: some.length, maxLength: some.length })
  return fc
    .tuple(fc.subarray([...some]), contents)
    .map(([chosen, lists]) => chosen.map((name, at) => slice(name, { addresses: lists[at] ?? [] })))
}

function planOf(before: readonly EndpointSlice[], after: readonly EndpointSlice[]): Changes {
  const known = slicesByName(before)
  const wanted = slicesByName(after)
  const text = (one: EndpointSlice | undefined): string => JSON.stringify(one?.endpoints)
  return {
    create: after.filter(({ metadata }) => !known.has(metadata?.name ?? '')),
    update: after.filter((one) => {
      const was = known.get(one.metadata?.name ?? '')
      return was !== undefined && text(was) !== text(one)
    }),
    delete: before.filter(({ metadata }) => !wanted.has(metadata?.name ?? '')),
  }
}

describe('a plan that is written in parts', () => {
  const limits = fc.integer({ min: 1, max: 4 })

  it('never leaves an endpoint unpublished that was published and will be', () => {
    fc.assert(
      fc.property(states, limits, ({ before, after }, maximumWrites) => {
        const { changes: part } = safePart(before, planOf(before, after), { maximumWrites })
        const now = published(slicesAfter(slicesByName(before), part).values())
        expect([...published(before).intersection(published(after)).difference(now)]).toEqual([])
      }),
    )
  })

  it('nor does one of which slices are excluded', () => {
    fc.assert(
      fc.property(states, fc.subarray(['b', 'c', 'd', 'e']), ({ before, after }, excluded) => {
        const plan = planOf(before, after)
        const { changes: part, postponed } = safePart(before, plan, { excluded: new Set(excluded) })
        const now = published(slicesAfter(slicesByName(before), part).values())
        expect([...published(before).intersection(published(after)).difference(now)]).toEqual([])
        const written = [...part.create, ...part.update]
        expect(names(written).filter((name) => excluded.includes(name ?? ''))).toEqual([])
        expect(postponed).toBe(sizeOf(plan) - sizeOf(part))
      }),
    )
  })

  it('comes to its end, part by part', () => {
    fc.assert(
      fc.property(states, limits, ({ before, after }, maximumWrites) => {
        let now = before
        for (let parts = 0; sizeOf(planOf(now, after)) > 0; parts++) {
          expect(parts).toBeLessThan(10)
          const { changes: part } = safePart(now, planOf(now, after), { maximumWrites })
          now = [...slicesAfter(slicesByName(now), part).values()]
        }
        expect(published(now)).toEqual(published(after))
      }),
    )
  })
})
