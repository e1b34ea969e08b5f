import { describe, expect, it } from 'vitest'
import { plan } from './index.ts'
import {
  aPod,
  applied,
  aService,
  endpointsOf,
  NODES,
  nameOf,
  podNames,
  podsNumbered,
  sizes,
  writes,
} from './plan.fixtures.ts'
import type { Endpoint, EndpointSlice, Pod } from './types.ts'

const service = aService()
const MAX = { maxEndpointsPerSlice: 10 }
const max = (maxEndpointsPerSlice: number) => ({ maxEndpointsPerSlice })
const replan = (pods: readonly Pod[], slices: readonly EndpointSlice[] = [], options = MAX) =>
  plan({ service, pods, nodes: NODES, slices }, options)
const published = (pods: readonly Pod[], options = MAX) => applied([], replan(pods, [], options))

describe('packing', () => {
  it('fills new slices up to the maximum', () => {
    expect(sizes(published(podsNumbered(250), max(100)))).toEqual([100, 100, 50])
  })

  it('writes nothing when nothing changed', () => {
    const slices = published(podsNumbered(25))
    expect(writes(replan(podsNumbered(25), slices))).toEqual([0, 0, 0])
  })

  it('changes an endpoint where it stands', () => {
    const slices = published(podsNumbered(25))
    const pods = [...podsNumbered(24), aPod('p-024', { ips: ['10.0.0.24'], ready: false })]
    const result = replan(pods, slices)
    expect(writes(result)).toEqual([0, 1, 0])
    expect(podNames(result.update)).toContain('p-024')
  })

  it('fills the slices that are written anyway first', () => {
    const slices = published(podsNumbered(20))
    const result = replan(podsNumbered(20, 1), slices)
    expect(writes(result)).toEqual([0, 1, 0])
    expect(podNames(result.update)).toContain('p-020')
  })

  it('puts the rest into the one slice that becomes fullest', () => {
    const slices = published(podsNumbered(24))
    const sparse = replan(podsNumbered(24).slice(4), slices)
    const now = applied(slices, sparse)
    expect(sizes(now)).toEqual([10, 6, 4])
    const result = replan([...podsNumbered(24).slice(4), ...podsNumbered(3, 30)], now)
    expect(sizes(result.update)).toEqual([9])
    expect(writes(result)).toEqual([0, 1, 0])
  })

  it('makes a new slice when the rest fits in none', () => {
    const slices = published(podsNumbered(19))
    expect(writes(replan(podsNumbered(21), slices))).toEqual([1, 0, 0])
  })

  it('never merges slices', () => {
    const slices = published(podsNumbered(60))
    const everyTenth = podsNumbered(60).filter((_, index) => index % 10 === 0)
    expect(sizes(applied(slices, replan(everyTenth, slices)))).toEqual([1, 1, 1, 1, 1, 1])
  })

  it('deletes a slice that becomes empty', () => {
    const slices = published(podsNumbered(20))
    expect(writes(replan(podsNumbered(10), slices))).toEqual([0, 0, 1])
  })

  it('leaves a slice alone that is above a maximum that was lowered', () => {
    const slices = published(podsNumbered(20), max(20))
    expect(writes(replan(podsNumbered(20), slices))).toEqual([0, 0, 0])
  })

  it('keeps a duplicate in the slice that comes first', () => {
    const [slice] = published(podsNumbered(3))
    const copy = { ...slice, metadata: { ...slice?.metadata, name: 'web-copy' } } as EndpointSlice
    expect(replan(podsNumbered(3), [slice as EndpointSlice, copy]).delete.map(nameOf)).toEqual(['web-copy'])
    expect(replan(podsNumbered(3), [copy, slice as EndpointSlice]).delete.map(nameOf)).toEqual([
      nameOf(slice as EndpointSlice),
    ])
  })

  it('takes the pod of the same name with another address for another endpoint', () => {
    const slices = published(podsNumbered(2))
    const result = replan([podsNumbered(1)[0] as Pod, aPod('p-001', { ips: ['10.9.9.9'] })], slices)
    expect(endpointsOf(result.update).map(({ addresses }) => addresses[0])).toEqual(['10.0.0.0', '10.9.9.9'])
  })

  it('ignores a resourceVersion in a targetRef', () => {
    const slices = published(podsNumbered(1))
    for (const { targetRef } of endpointsOf(slices)) if (targetRef) targetRef.resourceVersion = '7'
    expect(writes(replan(podsNumbered(1), slices))).toEqual([0, 0, 0])
  })
})

describe('an endpoint that was changed by someone else', () => {
  it.each<[string, (endpoint: Endpoint) => void]>([
    ['ready', ({ conditions }) => delete conditions?.ready],
    [
      'serving',
      ({ conditions }) => {
        if (conditions) conditions.serving = false
      },
    ],
    [
      'terminating',
      ({ conditions }) => {
        if (conditions) conditions.terminating = true
      },
    ],
    ['nodeName', (endpoint) => delete endpoint.nodeName],
    [
      'zone',
      (endpoint) => {
        endpoint.zone = ''
      },
    ],
    [
      'hostname',
      (endpoint) => {
        endpoint.hostname = 'wrong'
      },
    ],
    ['targetRef', (endpoint) => delete endpoint.targetRef],
    [
      'kind',
      ({ targetRef }) => {
        if (targetRef) targetRef.kind = 'Node'
      },
    ],
    [
      'uid',
      ({ targetRef }) => {
        if (targetRef) targetRef.uid = 'another'
      },
    ],
    [
      'apiVersion',
      ({ targetRef }) => {
        if (targetRef) targetRef.apiVersion = 'v1'
      },
    ],
    [
      'fieldPath',
      ({ targetRef }) => {
        if (targetRef) targetRef.fieldPath = 'spec'
      },
    ],
    [
      'namespace',
      ({ targetRef }) => {
        if (targetRef) targetRef.namespace = 'elsewhere'
      },
    ],
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

  it('go into an empty slice of their ports when they do not fill it', () => {
    const result = replan(podsNumbered(9), [named('empty', slice, [])])
    expect(writes(result)).toEqual([0, 1, 0])
    expect(result.update.map(nameOf)).toEqual(['empty'])
  })

  it('go into a new slice when they fill it, even if there is an empty one', () => {
    expect(writes(replan(podsNumbered(10), [named('empty', slice, [])]))).toEqual([1, 0, 0])
  })
})
