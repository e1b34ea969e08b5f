import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seal } from '../../changes/index.ts'
import { type EndpointSlice, IN_TREE_CONTROLLER, LABEL_MANAGED_BY } from '../../endpointslice/index.ts'
import { isExcessive, removalOf } from './held-plan.ts'
import { ANNOTATION_PUBLISHED, withRecord } from './published/published-annotation.ts'
import { withAnnotation } from './published/slice-annotations.ts'
import { addresses, changes, slice } from './slices.fixtures.ts'

describe('what a plan takes away', () => {
  it('is counted over all slices of the Service', () => {
    const slices = [slice('a', { addresses: addresses(4) }), slice('b', { addresses: addresses(6, 11) })]
    const plan = changes({ update: [slice('a', { addresses: addresses(1) })], delete: slices.slice(1) })
    expect(removalOf(slices, plan)).toEqual({ ready: 10, lost: 9 })
  })

  it('is nothing where endpoints move to another slice or get other ports', () => {
    const slices = [slice('a', { addresses: addresses(4) })]
    const plan = changes({ create: [slice('b', { addresses: addresses(4), port: 81 })], delete: slices })
    expect(removalOf(slices, plan)).toEqual({ ready: 4, lost: 0 })
  })

  it('is an endpoint that stays but is not ready any more', () => {
    const slices = [slice('a', { addresses: addresses(3) })]
    const plan = changes({ update: [slice('a', { addresses: addresses(1), unready: addresses(2, 2) })] })
    expect(removalOf(slices, plan)).toEqual({ ready: 3, lost: 2 })
  })

  it('is not an endpoint that was not ready before', () => {
    const slices = [slice('a', { unready: addresses(3) })]
    expect(removalOf(slices, changes({ delete: slices }))).toEqual({ ready: 0, lost: 0 })
  })

  it('is no endpoint that a policy leaves out, as long as it takes connections elsewhere', () => {
    const slices = [slice('a', { addresses: addresses(4) })]
    const plan = changes({ update: [slice('a', { addresses: addresses(1) })] })
    const leftOut = new Set(addresses(3).map((address) => `IPv4/${address}`))
    expect(removalOf(slices, plan, leftOut)).toEqual({ ready: 2, lost: 1 })
  })

  it('takes a missing condition for ready, as the API says', () => {
    const bare = seal({ ...slice('a'), endpoints: [{ addresses: ['10.0.0.1'] }] })
    expect(removalOf([bare], changes({ delete: [bare] }))).toEqual({ ready: 1, lost: 1 })
  })

  it('is never more than there was, and nothing for a plan that only adds', () => {
    const some = fc.subarray(addresses(8))
    fc.assert(
      fc.property(some, some, (before, after) => {
        const slices = [slice('a', { addresses: before })]
        const { ready, lost } = removalOf(slices, changes({ update: [slice('a', { addresses: after })] }))
        expect(ready).toBe(before.length)
        expect(lost).toBe(Math.max(0, before.length - after.length))
        const more = slice('a', { addresses: [...new Set([...before, ...after])] })
        expect(removalOf(slices, changes({ update: [more] })).lost).toBe(0)
      }),
    )
  })
})

describe('what somebody else wrote into our slices', () => {
  const bogus = addresses(6, 101)
  const added = (to: EndpointSlice, more = bogus): EndpointSlice => ({
    ...to,
    endpoints: [...(to.endpoints ?? []), ...more.map((text) => ({ addresses: [text] }))],
  })
  const four = slice('a', { addresses: addresses(4) })

  it.each([
    ['with a record of what we published', withRecord(four)],
    ['with no record, as long as ours stay', four],
  ])('is no loss when it goes %s', (_what, ours) => {
    const mended = changes({ update: [four] })
    expect(removalOf([added(ours)], mended)).toEqual({ ready: 4, lost: 0 })
  })

  it('does not hide the loss of ours that a record tells', () => {
    const emptied = changes({ update: [slice('a')] })
    expect(removalOf([added(withRecord(four))], emptied)).toEqual({ ready: 4, lost: 4 })
    const unready = changes({ update: [slice('a', { unready: addresses(4) })] })
    expect(removalOf([added(four)], unready)).toEqual({ ready: 4, lost: 4 })
  })

  it('is no loss where they made the whole slice', () => {
    const { metadata, ...theirs } = added(slice('b'))
    const made = { ...theirs, metadata: { ...metadata, annotations: {} } }
    expect(removalOf([four, made], changes({ delete: [made] }))).toEqual({ ready: 4, lost: 0 })
  })

  it('is a loss where the in-tree controller did, as those are taken over', () => {
    const { metadata, ...rest } = four
    const labels = { [LABEL_MANAGED_BY]: IN_TREE_CONTROLLER }
    const taken = { ...rest, metadata: { ...metadata, labels, annotations: {} } }
    expect(removalOf([taken], changes({ delete: [taken] }))).toEqual({ ready: 4, lost: 4 })
  })

  it('may be a record that is none', () => {
    const forged = withAnnotation(added(four), ANNOTATION_PUBLISHED, '?')
    expect(removalOf([forged], changes({ update: [slice('a')] }))).toEqual({ ready: 0, lost: 0 })
  })
})

describe('too much to take away', () => {
  const half = { maximumRemoval: 0.5, maximumRemovalCount: 2 }

  it.each([
    [{ ready: 10, lost: 5 }, false],
    [{ ready: 10, lost: 6 }, true],
    [{ ready: 5, lost: 3 }, true],
    // Few enough to be a Service that is scaled to zero.
    [{ ready: 2, lost: 2 }, false],
    [{ ready: 1, lost: 1 }, false],
    [{ ready: 3, lost: 3 }, true],
    [{ ready: 0, lost: 0 }, false],
  ])('%j: %j', (removal, expected) => {
    expect(isExcessive(removal, half)).toBe(expected)
  })

  it('is anything above the count with a share of 0, and nothing with a share of 1', () => {
    expect(isExcessive({ ready: 100, lost: 3 }, { maximumRemoval: 0, maximumRemovalCount: 2 })).toBe(true)
    expect(isExcessive({ ready: 100, lost: 100 }, { maximumRemoval: 1, maximumRemovalCount: 0 })).toBe(false)
  })
})
