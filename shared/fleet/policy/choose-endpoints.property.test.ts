import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { takeShare } from './choose-endpoints.ts'
import type { Offered } from './offered-endpoints.ts'

const READY: Offered = { ready: true, serving: true, terminating: false }
const STARTING: Offered = { ready: false, serving: false, terminating: false }
const ENDING: Offered = { ready: false, serving: true, terminating: true }

const address = fc.integer({ min: 1, max: 60 }).map((number) => `10.1.0.${number}`)
const offeredArbitrary = fc
  .array(fc.tuple(address, fc.constantFrom(READY, READY, STARTING, ENDING)), { maxLength: 60 })
  .map((entries) => new Map(entries))
const share = fc.integer({ min: 0, max: 100 })

const readyIn = (taken: ReadonlySet<string>, offered: ReadonlyMap<string, Offered>): string[] =>
  [...taken].filter((each) => offered.get(each)?.ready)
const countReady = (offered: ReadonlyMap<string, Offered>): number =>
  [...offered.values()].filter(({ ready }) => ready).length

describe('a share of a cluster’s endpoints', () => {
  it('has so many of the ready ones, rounded up: none of 0 %, all endpoints of 100 %', () => {
    fc.assert(
      fc.property(offeredArbitrary, share, (offered, percent) => {
        const taken = takeShare(offered, percent, 'eu')
        expect(readyIn(taken, offered)).toHaveLength(Math.ceil((countReady(offered) * percent) / 100))
        for (const each of taken) expect(offered.has(each)).toBe(true)
        if (percent === 0) expect(taken.size).toBe(0)
        if (percent === 100) expect(taken.size).toBe(offered.size)
      }),
    )
  })

  it('has an endpoint of every cluster that has any, as long as it is above 0', () => {
    fc.assert(
      fc.property(offeredArbitrary, fc.integer({ min: 1, max: 100 }), (offered, percent) => {
        expect(takeShare(offered, percent, 'eu').size > 0).toBe(offered.size > 0)
      }),
    )
    expect([
      ...takeShare(
        new Map([
          ['a', STARTING],
          ['b', ENDING],
        ]),
        1,
        'eu',
      ),
    ]).toContain('b')
  })

  it('moves one other ready endpoint at most when one comes, goes or changes', () => {
    fc.assert(
      fc.property(
        offeredArbitrary,
        share,
        address,
        fc.constantFrom(READY, STARTING, ENDING, undefined),
        (offered, percent, changed, state) => {
          const before = new Map(offered)
          const after = new Map(offered)
          if (state === undefined) after.delete(changed)
          else after.set(changed, state)
          // The shares are compared while some are ready: before, traffic goes nowhere.
          fc.pre(countReady(before) > 0 && countReady(after) > 0)
          const were = new Set(readyIn(takeShare(before, percent, 'eu'), before))
          const are = new Set(readyIn(takeShare(after, percent, 'eu'), after))
          const moved = [...were.symmetricDifference(are)].filter((each) => each !== changed)
          expect(moved.length).toBeLessThanOrEqual(1)
        },
      ),
    )
  })

  it('has all of a smaller one, whatever the order in which the endpoints are given', () => {
    fc.assert(
      fc.property(offeredArbitrary, share, share, (offered, one, other) => {
        const smaller = takeShare(offered, Math.min(one, other), 'eu')
        const larger = takeShare(new Map([...offered].reverse()), Math.max(one, other), 'eu')
        expect(smaller.isSubsetOf(larger)).toBe(true)
      }),
    )
  })

  it('is another one in each importing cluster, so that all endpoints have work', () => {
    const offered = new Map(Array.from({ length: 20 }, (_, at) => [`10.1.0.${at}`, READY]))
    const clusters = Array.from({ length: 20 }, (_, at) => `cluster-${at}`)
    const taken = clusters.flatMap((home) => [...takeShare(offered, 25, home)])
    expect(taken).toHaveLength(100)
    expect(new Set(taken).size).toBe(20)
  })
})
