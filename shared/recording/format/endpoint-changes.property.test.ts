import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../endpointslice/index.ts'
import { endpointChanges, endpointsAfter, recordedEndpoint } from '../index.ts'

const condition = fc.option(fc.boolean(), { nil: undefined })
const conditions = fc.record({ ready: condition, serving: condition, terminating: condition })
const name = fc.constantFrom('web-1', 'web-2', 'web-3')
const targetRef = fc.record({ kind: fc.constant('Pod'), name, uid: fc.constantFrom('u1', 'u2') })
const hints = fc.record({ forZones: fc.array(fc.record({ name: fc.constantFrom('a', 'b') })) })

/** Few addresses and names, so that they collide, and may repeat as an API server allows. */
const endpoint: fc.Arbitrary<Endpoint> = fc.record(
  {
    addresses: fc.array(fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.3'), { minLength: 1, maxLength: 2 }),
    conditions,
    targetRef,
    hints,
    hostname: fc.constantFrom('one', 'two'),
    nodeName: fc.constantFrom('n1', 'n2'),
    zone: fc.constantFrom('a', 'b'),
  },
  { requiredKeys: ['addresses'] },
)
const endpoints = fc.array(endpoint, { maxLength: 8 })

const asRecorded = (some: readonly Endpoint[]): string[] =>
  some.map((one) => JSON.stringify(recordedEndpoint(one))).sort()

describe('endpointChanges', () => {
  it('has what endpointsAfter needs to get from one state to the other', () => {
    fc.assert(
      fc.property(endpoints, endpoints, fc.array(endpoint, { maxLength: 3 }), (before, after, kept) => {
        const [old, now] = [
          [...before, ...kept],
          [...kept, ...after],
        ]
        const { came, went, changed } = endpointChanges(old, now)
        const departures = went.map((one) => ({ endpoint: one, cause: 'Deleted' as const }))
        const line = JSON.parse(JSON.stringify({ came, went: departures, changed }))
        expect(asRecorded(endpointsAfter(old.map(recordedEndpoint), line))).toEqual(asRecorded(now))
      }),
      { numRuns: 500 },
    )
  })

  it('ignores the order of endpoints', () => {
    fc.assert(
      fc.property(endpoints, (some) => {
        const nothing = { came: [], went: [], changed: [] }
        expect(endpointChanges(some, some.toReversed())).toEqual(nothing)
      }),
    )
  })
})
