import { describe, expect, it } from 'vitest'
import { PodIndex } from './pod-index.ts'
import { endpointOf, type PublishedPod, podKey } from './published-pods.ts'

const portSet = { key: '' as PublishedPod['portSet']['key'], ports: [] }

function aPublishedPod(name: string, more: Partial<PublishedPod> = {}): PublishedPod {
  const namespace = more.namespace ?? 'shop'
  return {
    key: podKey(namespace, name, 'shop'),
    kind: 'Pod',
    namespace,
    name,
    uid: 'u',
    portSet,
    nodeName: undefined,
    zone: undefined,
    hostname: undefined,
    ready: true,
    serving: true,
    terminating: false,
    addresses: { IPv4: ['10.0.0.1'], IPv6: [], FQDN: [] },
    ...more,
  }
}
const at = (...IPv4: string[]): Partial<PublishedPod> => ({ addresses: { IPv4, IPv6: [], FQDN: [] } })

function indexOf(...pods: PublishedPod[]): PodIndex {
  const index = new PodIndex('IPv4', 'shop')
  for (const pod of pods) index.add(pod)
  return index
}

describe('PodIndex', () => {
  it('finds a pod by its endpoint, once', () => {
    const pod = aPublishedPod('a')
    const index = indexOf(pod)
    expect(index.take(endpointOf(pod, 'IPv4'))).toBe(pod)
    expect(index.take(endpointOf(pod, 'IPv4'))).toBeUndefined()
    expect(index.size).toBe(0)
  })

  it.each<[string, Partial<PublishedPod>, Partial<PublishedPod>]>([
    ['ready', {}, { ready: false, serving: false, terminating: true }],
    ['serving', { ready: false, terminating: true }, { ready: false, serving: false }],
    [
      'not terminating',
      { ready: false, serving: false },
      { ready: false, serving: false, terminating: true },
    ],
    ['first by its zone', { zone: 'a' }, { zone: 'b' }],
  ])('prefers the one that is %s of two with one address and without uids', (_, better, worse) => {
    const good = aPublishedPod('', { uid: undefined, kind: '', ...better })
    const bad = aPublishedPod('', { uid: undefined, kind: '', ...worse })
    expect(indexOf(good, bad).rest()).toEqual([good])
    expect(indexOf(bad, good).rest()).toEqual([good])
  })

  it('does not mind the order of the addresses', () => {
    const pod = aPublishedPod('a', at('10.0.0.1', '10.0.0.2'))
    const endpoint = { ...endpointOf(pod, 'IPv4'), addresses: ['10.0.0.2', '10.0.0.1'] }
    expect(indexOf(pod).take(endpoint)).toBe(pod)
  })

  it.each<[string, Partial<PublishedPod>]>([
    ['address', at('10.0.0.9')],
    ['number of addresses', at('10.0.0.1', '10.0.0.2')],
    ['hostname', { hostname: 'h' }],
    ['namespace', { namespace: 'elsewhere' }],
  ])('does not find a pod with another %s', (_, difference) => {
    const index = indexOf(aPublishedPod('a'))
    expect(index.take(endpointOf(aPublishedPod('a', difference), 'IPv4'))).toBeUndefined()
    expect(index.size).toBe(1)
  })

  it('does not find a pod of which one of two addresses is another', () => {
    const index = indexOf(aPublishedPod('a', at('10.0.0.1', '10.0.0.2')))
    expect(index.take(endpointOf(aPublishedPod('a', at('10.0.0.1', '10.0.0.3')), 'IPv4'))).toBeUndefined()
  })

  it('knows a pod by its name, and one of another namespace by both', () => {
    expect([podKey('shop', 'a', 'shop'), podKey('other', 'a', 'shop')]).toEqual(['a', 'other/a'])
  })

  it('does not find anything by an endpoint without a pod', () => {
    expect(indexOf(aPublishedPod('a')).take({ addresses: ['10.0.0.1'] })).toBeUndefined()
  })

  it('keeps pods of the same name apart by their addresses, whichever came first', () => {
    const [a, b, c] = ['10.0.0.1', '10.0.0.2', '10.0.0.3'].map((ip) => aPublishedPod('same', at(ip)))
    if (a === undefined || b === undefined || c === undefined) throw new Error('three pods were made')
    for (const order of [
      [a, b, c],
      [c, b, a],
      [b, c, a],
    ]) {
      const index = indexOf(...order)
      expect(index.rest()).toEqual([a, b, c])
      expect(index.take(endpointOf(b, 'IPv4'))).toBe(b)
      expect(index.take(endpointOf(b, 'IPv4'))).toBeUndefined()
      expect(index.rest()).toEqual([a, c])
    }
  })

  it('keeps one of two pods that would be the same endpoint, whichever came first', () => {
    const [older, newer] = [aPublishedPod('a', { uid: '1' }), aPublishedPod('a', { uid: '2' })]
    const other = aPublishedPod('a', at('10.9.9.9'))
    expect(indexOf(older, newer).rest()).toEqual([newer])
    expect(indexOf(newer, older).rest()).toEqual([newer])
    expect(indexOf(other, newer, older).rest()).toEqual([newer, other])
    expect(indexOf(other, older, newer).rest()).toEqual([newer, other])
  })

  it('gives what is left by name', () => {
    const names = ['c', 'a', 'b'].map((name) => aPublishedPod(name))
    expect(
      indexOf(...names)
        .rest()
        .map(({ name }) => name),
    ).toEqual(['a', 'b', 'c'])
  })
})
