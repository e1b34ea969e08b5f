import { describe, expect, it } from 'vitest'
import { plan } from './index.ts'
import { aPod, aService, endpointsOf, NAMESPACE, NODES, podNames } from './plan.fixtures.ts'
import type { EndpointSlice, Pod, Service } from './types.ts'

const published = (service: Service, pods: readonly Pod[]): EndpointSlice[] =>
  plan({ service, pods, nodes: NODES, slices: [] }).create

describe('the endpoint of a pod', () => {
  const endpointsFor = (pod: Pod, service = aService()) => endpointsOf(published(service, [pod]))

  it('tells the address, the conditions, the pod, the node and its zone', () => {
    expect(endpointsFor(aPod('p'))).toEqual([
      {
        addresses: ['10.0.0.1'],
        conditions: { ready: true, serving: true, terminating: false },
        targetRef: { kind: 'Pod', namespace: NAMESPACE, name: 'p', uid: 'uid-p' },
        nodeName: 'node-a',
        zone: 'zone-a',
      },
    ])
  })

  it('is serving but not ready while the pod terminates', () => {
    const [endpoint] = endpointsFor(aPod('p', { terminating: true }))
    expect(endpoint?.conditions).toEqual({ ready: false, serving: true, terminating: true })
  })

  it('is always ready when the Service publishes addresses that are not', () => {
    const [endpoint] = endpointsFor(
      aPod('p', { terminating: true, ready: false }),
      aService({ publishNotReadyAddresses: true }),
    )
    expect(endpoint?.conditions).toEqual({ ready: true, serving: false, terminating: true })
  })

  it('has the hostname only when the subdomain is the Service', () => {
    const hostname = (subdomain: string) =>
      endpointsFor(aPod('p', { spec: { hostname: 'db-0', subdomain } }))[0]?.hostname
    expect(hostname('web')).toBe('db-0')
    expect(hostname('other')).toBeUndefined()
  })

  it('has all addresses of the family, canonical and sorted', () => {
    const [endpoint] = endpointsFor(aPod('p', { ips: ['10.000.0.9', 'fd00::1', '10.0.0.10'] }))
    expect(endpoint?.addresses).toEqual(['10.0.0.10', '10.0.0.9'])
  })
})

describe('which pods are published', () => {
  const namesFor = (pods: Pod[], service = aService()) => podNames(published(service, pods))

  it('leaves out terminal pods and pods without an IP', () => {
    const pods = [
      aPod('failed', { phase: 'Failed' }),
      aPod('succeeded', { phase: 'Succeeded' }),
      aPod('no-ip', { ips: [] }),
      aPod('good'),
    ]
    expect(namesFor(pods)).toEqual(['good'])
  })

  it('leaves out a terminal pod even when the Service publishes addresses that are not ready', () => {
    const service = aService({ publishNotReadyAddresses: true })
    expect(namesFor([aPod('failed', { phase: 'Failed' }), aPod('p')], service)).toEqual(['p'])
  })

  it('leaves out and reports a pod whose node does not exist', () => {
    const state = {
      service: aService(),
      pods: [aPod('p', { node: 'gone' }), aPod('q')],
      nodes: NODES,
      slices: [],
    }
    const result = plan(state)
    expect(podNames(result.create)).toEqual(['q'])
    expect(result.skipped).toEqual([
      {
        kind: 'Pod',
        namespace: NAMESPACE,
        name: 'p',
        reason: 'NodeNotFound',
        message: 'its node "gone" does not exist',
      },
    ])
  })

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

  it('reports an address that is none, and publishes the others', () => {
    const pod = aPod('p', { ips: ['10.0.0.300', '10.0.0.3'] })
    const result = plan({ service: aService(), pods: [pod], nodes: NODES, slices: [] })
    expect(endpointsOf(result.create)[0]?.addresses).toEqual(['10.0.0.3'])
    expect(result.skipped).toMatchObject([
      { name: 'p', message: '"10.0.0.300" in status.podIPs is not an IP address' },
    ])
  })
})
