import fc from 'fast-check'
import { expect, it } from 'vitest'
import { explain, plan, slicesAfter } from '../index.ts'
import { aPod, applied, aService, NODES } from '../plan.fixtures.ts'

const pods = fc.uniqueArray(
  fc.record({
    name: fc.integer({ min: 0, max: 30 }).map((number) => `p-${number}`),
    ready: fc.boolean(),
    terminating: fc.boolean(),
    phase: fc.constantFrom('Running', 'Pending', 'Failed'),
    node: fc.constantFrom('node-a', 'node-b', 'gone'),
    ips: fc.subarray(['10.0.0.1', 'fd00::1']),
  }),
  { selector: ({ name }) => name },
)
const families = fc.constantFrom<('IPv4' | 'IPv6')[]>(['IPv4'], ['IPv6'], ['IPv4', 'IPv6'])

it('every pod is accounted for, is left out exactly when no planned slice has it, and is published once the plan is applied', () => {
  fc.assert(
    fc.property(pods, pods, families, (before, after, ipFamilies) => {
      const service = aService({ ipFamilies })
      const state = { service, nodes: NODES }
      const podsBefore = before.map(({ name, ...input }) => aPod(name, input))
      const podsAfter = after.map(({ name, ...input }) => aPod(name, input))
      const slices = applied(
        [],
        plan({ ...state, pods: podsBefore, slices: [] }, { maxEndpointsPerSlice: 3 }),
      )
      const options = { maxEndpointsPerSlice: 3 }
      const explained = explain({ ...state, pods: podsAfter, slices }, options)
      expect(explained.plan).toEqual(plan({ ...state, pods: podsAfter, slices }, options))
      expect(explained.endpoints.map(({ name }) => name).sort()).toEqual(after.map(({ name }) => name).sort())
      const published = new Set(
        slicesAfter(slices, explained.plan).flatMap(({ endpoints }) =>
          (endpoints ?? []).map(({ targetRef }) => targetRef?.name),
        ),
      )
      for (const { name, outcome, reasons } of explained.endpoints) {
        expect(outcome !== 'LeftOut').toBe(published.has(name))
        if (outcome === 'LeftOut') expect(reasons).not.toEqual([])
      }
      const isAtRest = explain(
        { ...state, pods: podsAfter, slices: applied(slices, explained.plan) },
        options,
      )
      expect(isAtRest.endpoints.filter(({ outcome }) => outcome === 'Pending')).toEqual([])
      expect(new Set(isAtRest.slices.map(({ outcome }) => outcome))).toEqual(new Set(['AsPlanned']))
    }),
    { numRuns: 200 },
  )
})
