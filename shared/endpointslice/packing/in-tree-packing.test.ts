import { describe, expect, it } from 'vitest'
import { plan } from '../index.ts'
import { applied, aService, endpointsOf, NODES, nameOf, podsNumbered, writes } from '../plan.fixtures.ts'
import type { Endpoint, EndpointSlice, Pod } from '../types.ts'

const service = aService()
const MAX = { maxEndpointsPerSlice: 10 }
const replan = (pods: readonly Pod[], slices: readonly EndpointSlice[] = [], options = MAX) =>
  plan({ service, pods, nodes: NODES, slices }, options)

describe('an endpoint that was changed by someone else', () => {
  it.each<[string, (endpoint: Endpoint) => unknown]>([
    ['kind', ({ targetRef }) => Object.assign(targetRef ?? {}, { kind: 'Node' })],
    ['apiVersion', ({ targetRef }) => Object.assign(targetRef ?? {}, { apiVersion: 'v1' })],
    ['fieldPath', ({ targetRef }) => Object.assign(targetRef ?? {}, { fieldPath: 'spec' })],
    ['namespace', ({ targetRef }) => Object.assign(targetRef ?? {}, { namespace: 'elsewhere' })],
    ['nodeName', (endpoint) => delete endpoint.nodeName],
  ])('is restored (%s)', (_, change) => {
    const pods = podsNumbered(2)
    const slices = applied([], replan(pods))
    const edited = structuredClone(slices)
    change(endpointsOf(edited)[0] as Endpoint)
    const result = replan(pods, edited)
    expect(writes(result)).toEqual([0, 1, 0])
    const restored = endpointsOf(result.update).sort((a, b) =>
      String(a.addresses) < String(b.addresses) ? -1 : 1,
    )
    expect(restored).toEqual(endpointsOf(slices))
  })
})

describe('endpoints that remain', () => {
  const named = (name: string, slice: EndpointSlice, endpoints: Endpoint[]): EndpointSlice => ({
    ...slice,
    metadata: { ...slice.metadata, name },
    endpoints,
  })
  const [full] = applied([], replan(podsNumbered(10)))
  const slice = full as EndpointSlice
  const endpoints = slice.endpoints ?? []

  it('go into the first of equally full slices', () => {
    const slices = [named('b', slice, endpoints.slice(0, 2)), named('a', slice, endpoints.slice(2, 4))]
    const pods = podsNumbered(5)
    expect(replan(pods, slices).update.map(nameOf)).toEqual(['b'])
    expect(replan(pods, slices.toReversed()).update.map(nameOf)).toEqual(['a'])
  })

  it('go into a new slice when they fill it, even if there is an empty one', () => {
    expect(writes(replan(podsNumbered(10), [named('empty', slice, [])]))).toEqual([1, 0, 0])
  })
})
