import { describe, expect, it } from 'vitest'
import { type EndpointSlice, type PlanOptions, plan } from './index.ts'
import {
  aPod,
  applied,
  aService,
  deepFreeze,
  HTTP,
  NODES,
  podNames,
  podsNumbered,
  writes,
} from './plan.fixtures.ts'

const before = aService({ ports: [{ ...HTTP, targetPort: 9090 }] })
const after = aService()
const FIVE = podsNumbered(5)
const old = applied([], plan({ service: before, pods: FIVE, nodes: NODES, slices: [] }))
const planned = (slices: readonly EndpointSlice[], pods = FIVE, options: PlanOptions = {}) =>
  plan(deepFreeze({ service: after, pods, nodes: NODES, slices }), options)
const numbersOf = (slice: EndpointSlice | undefined) => slice?.ports?.map(({ port }) => port)

describe('slices of ports that the Service has no more', () => {
  it('go with all of their endpoints', () => {
    const { stats, ...result } = planned(old)
    expect(applied(old, { ...result, stats }).map(numbersOf)).toEqual([[8080]])
    expect(stats).toMatchObject({
      endpointsDesired: 5,
      endpointsAdded: 5,
      endpointsRemoved: 5,
      slicesActual: 1,
      slicesDesired: 1,
    })
  })

  it('lose the Pods of a part, and keep the others as they are', () => {
    const only = { onlyPods: new Set(['p-001']) }
    const result = planned(old, FIVE.slice(1, 2), only)
    expect(writes(result)).toEqual([1, 1, 0])
    expect([podNames(result.create), numbersOf(result.create[0])]).toEqual([['p-001'], [8080]])
    expect(numbersOf(result.update[0])).toEqual([9090])
    const others = old[0]?.endpoints?.filter(({ targetRef }) => targetRef?.name !== 'p-001')
    expect(result.update[0]?.endpoints).toEqual(others)
    expect(result.stats).toMatchObject({ endpointsAdded: 1, endpointsRemoved: 1, slicesActual: 2 })
  })

  it('are deleted where a part takes their last endpoint', () => {
    const names = new Set(FIVE.map(({ metadata }) => metadata?.name ?? ''))
    const result = planned(old, [], { onlyPods: names })
    expect(writes(result)).toEqual([0, 0, 1])
    expect(result.stats).toMatchObject({ endpointsRemoved: 5, slicesActual: 0 })
  })
})

describe('a part', () => {
  it('is of the endpoints that refer to a Pod of that name in the Service’s namespace, and of no others', () => {
    const pod = { kind: 'Pod', namespace: 'shop', name: 'p-001' }
    const refs = [
      pod,
      { kind: 'Pod', name: 'p-001' },
      { ...pod, kind: 'Machine' },
      { ...pod, namespace: 'other' },
      { ...pod, name: 'p-002' },
      undefined,
    ]
    const endpoints = refs.map((targetRef, index) => ({ addresses: [`10.0.0.${index}`], targetRef }))
    const slices = old.map((slice) => ({ ...slice, endpoints }))
    const { update } = planned(slices, [], { onlyPods: new Set(['p-001']) })
    expect(update.map((slice) => slice.endpoints?.map(({ targetRef }) => targetRef))).toEqual([refs.slice(2)])
  })
})

describe('the slice of a Service without Pods', () => {
  const empty = applied([], planned([], []))
  const [placeholder] = empty as [EndpointSlice]
  const relabelled = (labels: Record<string, string>): EndpointSlice => ({
    ...placeholder,
    metadata: { ...placeholder.metadata, labels: { ...placeholder.metadata?.labels, ...labels } },
  })

  it('stays as it is, alone', () => {
    const result = planned(empty, [])
    expect(writes(result)).toEqual([0, 0, 0])
    expect(result.stats).toMatchObject({ slicesActual: 1 })
    const second = { ...placeholder, metadata: { ...placeholder.metadata, name: 'web-second' } }
    const both = [placeholder, second]
    expect(applied(both, planned(both, []))).toHaveLength(1)
  })

  it.each<[string, EndpointSlice]>([
    ['has ports', { ...placeholder, ports: [{ name: 'http', port: 80 }] }],
    ['has endpoints', { ...placeholder, endpoints: [{ addresses: ['10.0.0.1'] }] }],
    ['has another label', relabelled({ team: 'other' })],
  ])('is written again where it %s', (_, slice) => {
    const after = applied([slice], planned([slice], []))
    expect(after.map(({ endpoints, ports }) => [endpoints, ports])).toEqual([[[], []]])
    expect(writes(planned(after, []))).toEqual([0, 0, 0])
  })

  it('may have lists that are not there', () => {
    const { endpoints: _, ports: __, ...bare } = placeholder
    expect(writes(planned([bare as EndpointSlice], []))).toEqual([0, 0, 0])
  })

  it('may have a label without a value more or less, unless all labels are compared', () => {
    const slice = relabelled({ odd: '' })
    expect(writes(planned([slice], []))).toEqual([0, 0, 0])
    expect(writes(planned([slice], [], { comparedLabels: 'all' }))).not.toEqual([0, 0, 0])
  })
})

it('a reserved label that somebody changed is written again where all labels are compared', () => {
  const slices = applied([], planned([])).map((slice) => ({
    ...slice,
    metadata: {
      ...slice.metadata,
      labels: { ...slice.metadata?.labels, 'service.kubernetes.io/headless': '' },
    },
  }))
  expect(writes(planned(slices))).toEqual([0, 0, 0])
  expect(writes(planned(slices, FIVE, { comparedLabels: 'all' }))).toEqual([0, 1, 0])
})

it('a Pod stays in the slice that is fullest of those with room for it, and new ones fill what is written first', () => {
  const four = applied(
    [],
    plan({ service: after, pods: podsNumbered(16), nodes: NODES, slices: [] }, { maxEndpointsPerSlice: 4 }),
  )
  const sizesOf = (slices: readonly EndpointSlice[]) => slices.map(({ endpoints }) => endpoints?.length)
  const taken = (slice: number): string[] =>
    four[slice]?.endpoints?.map(({ targetRef }) => targetRef?.name ?? '') ?? []
  const gone = new Set([...taken(0).slice(0, 1), ...taken(1).slice(0, 3)])
  const left = podsNumbered(16).filter(({ metadata }) => !gone.has(metadata?.name ?? ''))
  const result = planned(
    four,
    [...left, aPod('q-1', { ips: ['10.0.9.1'] }), aPod('q-2', { ips: ['10.0.9.2'] })],
    { maxEndpointsPerSlice: 4 },
  )
  expect(sizesOf(applied(four, result))).toEqual([4, 2, 4, 4])
  expect(writes(result)).toEqual([0, 2, 0])
})
