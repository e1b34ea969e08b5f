import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../../../endpointslice/index.ts'
import type { Changes } from '../../slice-changes.ts'
import { addresses, changes, slice } from '../slices.fixtures.ts'
import { publishedIn, slicesAfter, slicesByName } from './published-addresses.ts'
import { withoutSlices } from './subset-of-writes.ts'

const names = (slices: readonly EndpointSlice[]): (string | undefined)[] =>
  slices.map(({ metadata }) => metadata?.name)
const published = (slices: Iterable<EndpointSlice>): Set<string> =>
  new Set([...slices].flatMap((one) => [...publishedIn(one)]))
describe('a plan without some of its slices', () => {
  it('is the whole plan where none is excluded', () => {
    const plan = changes({ delete: [slice('a')] })
    expect(withoutSlices([slice('a')], plan, new Set())).toEqual(plan)
  })

  it('takes endpoints out of their places once they have come to another, one after the other', () => {
    const slices = [
      slice('a', { addresses: ['10.0.0.1'] }),
      slice('b', { addresses: ['10.0.0.2'] }),
      slice('c'),
      slice('d', { addresses: ['10.0.0.4'] }),
    ]
    const update = [
      slice('a'),
      slice('b', { addresses: ['10.0.0.1'] }),
      slice('c', { addresses: ['10.0.0.2'] }),
    ]
    const plan = changes({ update, delete: slices.slice(3) })
    expect(withoutSlices(slices, plan, new Set(['d']))).toEqual(changes({ update }))
  })

  it('lacks slices that swap their endpoints', () => {
    const slices = [
      slice('a', { addresses: ['10.0.0.1'] }),
      slice('b', { addresses: ['10.0.0.2'] }),
      slice('c'),
    ]
    const swap = [slice('a', { addresses: ['10.0.0.2'] }), slice('b', { addresses: ['10.0.0.1'] })]
    const create = [slice('d', { addresses: ['10.0.0.3'] })]
    const plan = changes({ create, update: swap, delete: slices.slice(2) })
    expect(withoutSlices(slices, plan, new Set(['c']))).toEqual(changes({ create }))
  })

  it('leaves out what is excluded, and what would take an endpoint out that was to go there', () => {
    const slices = [slice('a', { addresses: ['10.0.0.1'] }), slice('b', { addresses: ['10.0.0.2'] })]
    const plan = changes({
      update: [slice('a', { addresses: ['10.0.0.3'] }), slice('b', { addresses: ['10.0.0.1'] })],
    })
    expect(withoutSlices(slices, plan, new Set(['b']))).toEqual(changes())
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

it('a plan without some of its slices leaves no endpoint unpublished that was published and will be', () => {
  fc.assert(
    fc.property(states, fc.subarray(['b', 'c', 'd', 'e']), ({ before, after }, excluded) => {
      const part = withoutSlices(before, planOf(before, after), new Set(excluded))
      const now = published(slicesAfter(slicesByName(before), part).values())
      expect([...published(before).intersection(published(after)).difference(now)]).toEqual([])
      const written = [...part.create, ...part.update]
      expect(names(written).filter((name) => excluded.includes(name ?? ''))).toEqual([])
    }),
  )
})
