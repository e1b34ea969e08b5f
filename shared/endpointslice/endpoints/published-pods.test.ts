import { describe, expect, it } from 'vitest'
import { plan } from '../index.ts'
import { aPod, aService, endpointsOf, NODES } from '../plan.fixtures.ts'
import type { EndpointSlice, Pod, Service } from '../types.ts'

const published = (service: Service, pods: readonly Pod[]): EndpointSlice[] =>
  plan({ service, pods, nodes: NODES, slices: [] }).create

describe('the endpoint of a pod', () => {
  const endpointsFor = (pod: Pod, service = aService()) => endpointsOf(published(service, [pod]))

  it('has all addresses of the family, canonical and sorted', () => {
    const [endpoint] = endpointsFor(aPod('p', { ips: ['10.000.0.9', 'fd00::1', '10.0.0.10'] }))
    expect(endpoint?.addresses).toEqual(['10.0.0.10', '10.0.0.9'])
  })
})

describe('which pods are published', () => {
  it('says of a pod that has no node that it is not scheduled yet', () => {
    const result = plan({ service: aService(), pods: [aPod('p', { node: '' })], nodes: NODES, slices: [] })
    expect(result.skipped).toMatchObject([
      { name: 'p', reason: 'NodeNotFound', message: 'it is not scheduled to a node yet' },
    ])
  })

  it('publishes such a pod without a zone when the Service publishes addresses that are not ready', () => {
    const service = aService({ publishNotReadyAddresses: true })
    const result = plan({ service, pods: [aPod('p', { node: 'gone' })], nodes: NODES, slices: [] })
    expect(endpointsOf(result.create)).toMatchObject([{ nodeName: 'gone' }])
    expect(endpointsOf(result.create)[0]).not.toHaveProperty('zone')
    expect(result.skipped).toEqual([])
  })
})
