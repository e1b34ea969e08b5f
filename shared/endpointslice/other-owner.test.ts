import { describe, expect, it } from 'vitest'
import { type EndpointSlice, type PlanOptions, plan } from './index.ts'
import { applied, aService, podsNumbered, writes } from './plan.fixtures.ts'

const owner = {
  apiVersion: 'example.org/v1',
  kind: 'Import',
  name: 'web',
  uid: 'uid-import',
  controller: false,
}
const labels = { 'example.org/from': 'blue' }
const service = aService({}, { labels: { app: 'web', 'example.org/from': 'nowhere' } })

const planned = (slices: readonly EndpointSlice[], options: PlanOptions = { owner, labels }) =>
  plan({ service, pods: podsNumbered(3), nodes: [], slices }, { comparedLabels: 'all', ...options })

describe('slices of another owner than the Service', () => {
  const slices = applied([], planned([]))

  it('name it in the place of the Service, and carry further labels above those of the Service', () => {
    expect(slices.map(({ metadata }) => metadata?.ownerReferences)).toEqual([[owner]])
    expect(slices[0]?.metadata?.labels).toMatchObject({
      app: 'web',
      'example.org/from': 'blue',
      'kubernetes.io/service-name': 'web',
    })
  })

  it('need no write when they are planned again', () => {
    expect(writes(planned(slices))).toEqual([0, 0, 0])
  })

  it('take the place of slices that the Service itself owned', () => {
    const own = applied([], planned([], {}))
    const { create, delete: removed } = planned(own)
    expect(create.map(({ metadata }) => metadata?.ownerReferences)).toEqual([[owner]])
    expect(removed).toEqual(own)
  })

  it('have names of their own for each set of labels, in whatever order these are given', () => {
    const nameWith = (further: Record<string, string>) =>
      planned([], { owner, labels: further }).create[0]?.metadata?.name
    expect(nameWith({ a: '1', b: '2' })).toBe(nameWith({ b: '2', a: '1' }))
    expect(new Set([nameWith({ a: '1' }), nameWith({ a: '2' }), nameWith({})]).size).toBe(3)
  })

  it('get a label back that somebody changed', () => {
    const [slice] = slices
    const edited = {
      ...slice,
      metadata: { ...slice?.metadata, labels: { ...slice?.metadata?.labels, 'example.org/from': 'green' } },
    } as EndpointSlice
    expect(planned([edited]).update[0]?.metadata?.labels?.['example.org/from']).toBe('blue')
  })
})
