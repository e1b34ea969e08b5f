import { describe, expect, it } from 'vitest'
import { type EndpointSlice, InvalidOptionError, type PackingPolicy, type Pod, plan } from '../index.ts'
import {
  applied,
  aService,
  deepFreeze,
  endpointsOf,
  NODES,
  podNames,
  podsNumbered,
  sizes,
  writes,
} from '../plan.fixtures.ts'

const service = aService()
const replan = (
  pods: readonly Pod[],
  slices: readonly EndpointSlice[],
  packing?: 'compact' | PackingPolicy,
) => plan(deepFreeze({ service, pods, nodes: NODES, slices }), { packing })

const six = applied([], replan(podsNumbered(600), []))
/** Every tenth pod. */
const remaining = podsNumbered(600).filter((_, index) => index % 10 === 0)

describe('packing', () => {
  it('never merges slices unless it is asked to', () => {
    expect(sizes(applied(six, replan(remaining, six)))).toEqual([10, 10, 10, 10, 10, 10])
  })

  it('compact: 600 endpoints that are scaled down evenly to 60 end in one slice, with no more writes', () => {
    const result = replan(remaining, six, 'compact')
    expect(writes(result)).toEqual([0, 1, 5])
    const slices = applied(six, result)
    expect(podNames(slices)).toEqual(remaining.map(({ metadata }) => metadata?.name))
    expect(writes(replan(remaining, slices, 'compact'))).toEqual([0, 0, 0])
    expect(result.stats).toMatchObject({ slicesActual: 1, slicesDesired: 1 })
  })

  it('compact: moves endpoints as they are, also those of a slice that was not to be written', () => {
    const sparse = applied(six, replan(remaining, six))
    const result = replan([...remaining, ...podsNumbered(1, 700)], sparse, 'compact')
    const slices = applied(sparse, result)
    expect(sizes(slices).length).toBeLessThan(6)
    const before = new Map(endpointsOf(sparse).map((endpoint) => [endpoint.targetRef?.name, endpoint]))
    for (const endpoint of endpointsOf(slices)) {
      const name = endpoint.targetRef?.name
      expect(endpoint).toEqual(before.get(name) ?? expect.objectContaining({ addresses: ['10.0.2.188'] }))
    }
    expect(endpointsOf(slices)).toHaveLength(61)
  })

  it('compact: leaves the fragments of a Service alone that did not change', () => {
    const sparse = applied(six, replan(remaining, six))
    expect(writes(replan(remaining, sparse, 'compact'))).toEqual([0, 0, 0])
  })

  it('compact: moves nothing into new slices of a Service that is being deleted', () => {
    const dying = aService({}, { deletionTimestamp: '2026-03-01T12:00:00Z' })
    const sparse = applied(six, replan(remaining, six))
    const pods = [...remaining, ...podsNumbered(95, 700)]
    const result = plan({ service: dying, pods, nodes: NODES, slices: sparse }, { packing: 'compact' })
    const left = podNames(applied(sparse, result))
    for (const { metadata } of remaining) expect(left).toContain(metadata?.name)
  })

  it('takes a policy of your own, which sees sizes and says what to merge', () => {
    const intoTheFirst: PackingPolicy = (slices) =>
      slices.flatMap(({ size }, from) => (from === 0 ? [] : [{ from, into: [{ slice: 0, count: size }] }]))
    expect(sizes(applied(six, replan(remaining, six, intoTheFirst)))).toEqual([60])
  })

  it('refuses a policy that does not exist', () => {
    expect(() =>
      plan({ service, pods: [], nodes: [], slices: [] }, { packing: 'tight' as 'compact' }),
    ).toThrow(InvalidOptionError)
  })
})
