import { describe, expect, it } from 'vitest'
import { type ExplainState, explain, type Pod, plan } from '../index.ts'
import type { SkippedObject } from '../objects/validate.ts'
import { aPod, applied, aService, NODES } from '../plan.fixtures.ts'
import { addressSource } from '../sources/addresses.ts'
import type { EndpointSlice, Service } from '../types.ts'
import type { EndpointExplanation } from './types.ts'

const endpointsOf = (
  pods: readonly Pod[],
  { service = aService(), ...more }: Partial<ExplainState> = {},
): readonly EndpointExplanation[] => explain({ service, pods, nodes: NODES, slices: [], ...more }).endpoints

const messagesOf = (pod: Pod, service?: Service): string[] =>
  endpointsOf([pod], service && { service }).flatMap(({ reasons }) => reasons.map(({ message }) => message))

const skipped = (name: string, reason: SkippedObject['reason'], message: string): SkippedObject => ({
  kind: 'Pod',
  namespace: 'shop',
  name,
  reason,
  message,
})

describe('the pods of a Service', () => {
  it('are reported by their names, each with what is wrong with it alone', () => {
    const selected = {
      pods: [aPod('f'), aPod('e', { node: 'gone' }), aPod('d', { ips: ['nonsense'] }), aPod('b')],
      nodes: NODES,
      unattached: [aPod('c')],
      skipped: [skipped('a', 'Malformed', 'spec is not an object')],
    }
    const reported = endpointsOf([], { selected }).map(({ kind, name, outcome, reasons, published }) => [
      `${kind} ${name}`,
      outcome,
      reasons.map(({ code }) => code),
      published.length,
    ])
    expect(reported).toEqual([
      ['Pod a', 'LeftOut', ['Malformed'], 0],
      ['Pod b', 'Pending', [], 1],
      ['Pod c', 'LeftOut', ['NotOnNetwork'], 0],
      ['Pod d', 'LeftOut', ['Malformed'], 0],
      ['Pod e', 'LeftOut', ['NodeNotFound'], 0],
      ['Pod f', 'Pending', [], 1],
    ])
  })

  it('have an address refused instead of having none', () => {
    const refused = [skipped('p', 'RefusedAddress', '127.0.0.1 is a loopback address')]
    const selected = { pods: [aPod('p', { ips: [] }), aPod('q')], nodes: NODES, refused }
    expect(endpointsOf([], { selected })).toMatchObject([
      { name: 'p', outcome: 'LeftOut', reasons: [{ code: 'RefusedAddress', message: refused[0]?.message }] },
      { name: 'q', outcome: 'Pending', reasons: [] },
    ])
  })

  it.each([
    ['without conditions', {}, 'its condition Ready is not set'],
    [
      'that is not ready for a reason',
      { conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady' }] },
      'its condition Ready is False (ContainersNotReady)',
    ],
  ])('are published all the same: one %s', (_, status, message) => {
    expect(messagesOf({ ...aPod('p'), status: { podIPs: [{ ip: '10.0.0.1' }], ...status } })).toEqual([
      message,
    ])
  })

  it.each([
    [{ name: 'http', port: 80, targetPort: 'web' }, 'http', 'TCP'],
    [{ name: '', port: 80, targetPort: 'web', protocol: 'UDP' }, '80', 'UDP'],
  ])('lack a port by its name, or by its number: %j', (port, reported, protocol) => {
    expect(messagesOf(aPod('p'), aService({ ports: [port] }))).toEqual([
      `it is published without port ${reported}: none of its containers has a port named "web" (${protocol})`,
    ])
  })
})

describe('a pod is pending', () => {
  const slicesOf = (service: Service): EndpointSlice[] =>
    applied(
      [],
      plan({ service, pods: [aPod('p', { ips: ['10.0.0.1', 'fd00::1'] })], nodes: NODES, slices: [] }),
    )

  it('until a slice of each family has it', () => {
    const service = aService({ ipFamilies: ['IPv4', 'IPv6'] })
    const slices = slicesOf(service)
    const outcomeWith = (given: readonly EndpointSlice[]): string | undefined =>
      endpointsOf([aPod('p', { ips: ['10.0.0.1', 'fd00::1'] })], { service, slices: given })[0]?.outcome
    expect(slices).toHaveLength(2)
    expect(slices.map((slice) => outcomeWith([slice]))).toEqual(['Pending', 'Pending'])
    expect(outcomeWith(slices)).toBe('Published')
  })

  it('while it stands in a slice of ours that goes', () => {
    const old = slicesOf(aService()).map((slice) => ({
      ...slice,
      metadata: { ...slice.metadata, name: 'web-old', ownerReferences: [] },
    }))
    expect(endpointsOf([aPod('p')], { slices: old })).toMatchObject([
      { outcome: 'Pending', published: [{ slices: [{ name: 'web-old' }] }] },
    ])
  })

  it('in as many slices as it stands, each reported once', () => {
    const [slice = {} as EndpointSlice] = slicesOf(aService())
    const twin = { ...slice, metadata: { ...slice.metadata, name: 'web-twin' } }
    const twice = { ...slice, endpoints: [...(slice.endpoints ?? []), ...(slice.endpoints ?? [])] }
    const names = [slice.metadata?.name, 'web-twin']
    const [endpoint] = endpointsOf([aPod('p')], { slices: [twice, twin] })
    expect(endpoint?.published[0]?.slices.map(({ name }) => name)).toEqual(names)
  })
})

it('an address that a Service names is reported, and one that is none with the reason', () => {
  const endpoints = endpointsOf([], { source: addressSource(['10.9.0.1', '10.9.0.300']) })
  expect(endpoints).toContainEqual(
    expect.objectContaining({ kind: 'Address', name: '10.9.0.1', outcome: 'Pending', reasons: [] }),
  )
  const message = 'the source\'s address "10.9.0.300" is neither an IP address nor a domain name'
  expect(endpoints).toContainEqual({
    kind: 'Address',
    namespace: 'shop',
    name: 'web',
    outcome: 'LeftOut',
    reasons: [{ code: 'Malformed', message }],
    published: [],
  })
})
