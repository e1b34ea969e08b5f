import { describe, expect, it } from 'vitest'
import { backendsOf, conditionsOf, type EndpointSlice } from '../index.ts'

const slice = (
  name: string,
  resourceVersion: string,
  addresses: string[],
  ready?: boolean,
): EndpointSlice => ({
  metadata: { namespace: 'shop', name, resourceVersion },
  addressType: 'IPv4',
  endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready } })),
  ports: [
    { name: 'http', port: 8080, protocol: 'TCP' },
    { name: 'raw', port: 9000, protocol: 'UDP' },
  ],
})
const short = (slices: readonly EndpointSlice[]): string[] =>
  backendsOf(slices).map(
    ({ address, port, endpoint }) => `${address}:${port?.port} ${conditionsOf(endpoint).ready}`,
  )

describe('backends', () => {
  it('are every address with every port of its own slice, in order', () => {
    expect(short([slice('a', '1', ['10.0.0.2', '10.0.0.1'])])).toEqual([
      '10.0.0.1:8080 true',
      '10.0.0.1:9000 true',
      '10.0.0.2:8080 true',
      '10.0.0.2:9000 true',
    ])
  })

  it('of an endpoint in two slices are what the slice written last says', () => {
    const old = slice('a', '9', ['10.0.0.1'], true)
    const later = slice('b', '10', ['10.0.0.1'], false)
    const expected = ['10.0.0.1:8080 false', '10.0.0.1:9000 false']
    expect(short([old, later])).toEqual(expected)
    expect(short([later, old])).toEqual(expected)
  })

  it('of slices that cannot be distinguished are of the one whose name comes first', () => {
    const first = slice('a', '1', ['10.0.0.1'], false)
    const second = slice('b', '1', ['10.0.0.1'], true)
    for (const both of [
      [first, second],
      [second, first],
    ])
      expect(short(both)).toEqual(['10.0.0.1:8080 false', '10.0.0.1:9000 false'])
  })

  it('have no port where the slice has none', () => {
    for (const ports of [[], null, undefined])
      expect(short([{ ...slice('a', '1', ['10.0.0.1']), ports } as EndpointSlice])).toEqual([
        '10.0.0.1:undefined true',
      ])
  })

  it.each([
    ['name', { name: 'admin' }],
    ['protocol', { protocol: 'UDP' }],
    ['number', { port: 81 }],
  ])('are two where ports differ by their %s', (_, change) => {
    const port = { name: 'http', port: 80, protocol: 'TCP' }
    const both = { ...slice('a', '1', ['10.0.0.1']), ports: [port, { ...port, ...change }] }
    expect(backendsOf([both])).toHaveLength(2)
    expect(backendsOf([{ ...both, ports: [port, port] }])).toHaveLength(1)
  })

  it('are one where a port is of the default protocol, be that said or not', () => {
    const port = { name: 'http', port: 80 }
    const both = { ...slice('a', '1', ['10.0.0.1']), ports: [port, { ...port, protocol: 'TCP' }] }
    expect(backendsOf([both])).toHaveLength(1)
  })
})

describe('conditions that are not set', () => {
  it.each([
    [undefined, { ready: true, serving: true, terminating: false }],
    [{}, { ready: true, serving: true, terminating: false }],
    [{ ready: false }, { ready: false, serving: false, terminating: false }],
    [
      { ready: false, serving: true, terminating: true },
      { ready: false, serving: true, terminating: true },
    ],
  ])('%j are %j', (conditions, expected) => {
    expect(conditionsOf({ addresses: [], conditions })).toEqual(expected)
  })
})
