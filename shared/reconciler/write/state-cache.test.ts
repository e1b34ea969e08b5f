import { describe, expect, it } from 'vitest'
import type { EndpointSlice, Service } from '../../endpointslice/index.ts'
import type { KeyMessage } from '../../queue/index.ts'
import { type HintedState, StateCache } from './state-cache.ts'

const KEY = { cluster: 'blue', namespace: 'shop', service: 'web' }

const service = (resourceVersion: string, uid = 'uid-web'): Service => ({
  metadata: { name: 'web', namespace: 'shop', uid, resourceVersion },
  spec: {},
})

const slice = (name: string, resourceVersion: string, endpoints = 1): EndpointSlice => ({
  metadata: { name, namespace: 'shop', resourceVersion },
  addressType: 'IPv4',
  endpoints: Array.from({ length: endpoints }, () => ({ addresses: ['10.0.0.1'] })),
})

/** Makes the message of a relay that has seen these versions. */
const message = (serviceVersion: string, slices: Readonly<Record<string, string>>): Required<Told> => ({
  ...KEY,
  relayVerifies: true,
  serviceVersion,
  hint: { pods: ['web-1'], slices: Object.keys(slices), sliceVersions: Object.values(slices) },
})
type Told = Pick<
  KeyMessage,
  'cluster' | 'namespace' | 'service' | 'relayVerifies' | 'serviceVersion' | 'hint'
>

describe('kept state', () => {
  let now = Date.parse('2026-01-01T00:00:00Z')
  const found = (cache: StateCache, reported: Required<Told>): HintedState | undefined =>
    cache.find(reported, reported.hint)
  const start = (state: HintedState): StateCache => {
    const cache = new StateCache(() => now)
    cache.keep(KEY, state)
    return cache
  }

  it('counts as read when it has the versions that the message names', () => {
    const state = { service: service('5'), slices: [slice('a', '7'), slice('b', '8')] }
    const cache = start(state)
    now += 3_600_000
    expect(found(cache, message('5', { b: '8' }))).toMatchObject({
      service: state.service,
      slices: [state.slices[1]],
    })
    expect(found(cache, message('5', { a: '7', b: '8' }))).toMatchObject(state)
  })

  it('does not count for a message of another history, whatever versions it names', () => {
    const cache = start({ service: service('5'), slices: [slice('a', '7')] })
    const reported = message('5', { a: '7' })
    expect(cache.find({ ...reported, history: 'restored' }, reported.hint)).toBeUndefined()
    expect(found(cache, reported)).toBeDefined()
  })

  it('mixes no slices of another history with those that are cached', () => {
    const cache = start({ service: service('5'), slices: [slice('a', '7'), slice('b', '8')] })
    cache.keep({ ...KEY, history: 'restored' }, { service: service('5'), slices: [slice('a', '7')] })
    const reported = message('5', { b: '8' })
    expect(cache.find({ ...reported, history: 'restored' }, reported.hint)).toBeUndefined()
  })

  it.each([
    ['the Service was changed', message('6', { a: '7' })],
    ['a slice was written by somebody else', message('5', { a: '8' })],
    ['a slice is named that is not kept', message('5', { a: '7', b: '8' })],
    ['it is about another Service', { ...message('5', { a: '7' }), service: 'api' }],
    ['it is about another cluster', { ...message('5', { a: '7' }), cluster: 'green' }],
  ])('does not count when %s', (_, reported) => {
    const cache = start({ service: service('5'), slices: [slice('a', '7')] })
    expect(found(cache, reported)).toBeUndefined()
  })

  it('does not count for messages that name no versions', () => {
    const cache = start({ service: service('5'), slices: [slice('a', '7')] })
    const reported = message('5', { a: '7' })
    const { sliceVersions: _, ...withoutVersions } = reported.hint
    const { serviceVersion: __, ...withoutService } = reported
    expect(cache.find(reported, withoutVersions)).toBeUndefined()
    expect(cache.find(withoutService, reported.hint)).toBeUndefined()
  })

  it('counts for 5 seconds when it is newer than what the relay has seen, and no longer', () => {
    const cache = start({ service: service('5'), slices: [slice('a', '9')] })
    now += 4_999
    expect(found(cache, message('5', { a: '7' }))).toBeDefined()
    now += 1
    expect(found(cache, message('5', { a: '7' }))).toBeUndefined()
    expect(found(cache, message('5', { a: '9' }))).toBeDefined()
  })

  it('does not count as newer until a clock that was set back has caught up', () => {
    const cache = start({ service: service('5'), slices: [slice('a', '9')] })
    now -= 5_000
    expect(found(cache, message('5', { a: '7' }))).toBeUndefined()
  })

  it('is not seen again by a sync that went on from it', () => {
    const state = { service: service('5'), slices: [slice('a', '9')] }
    const cache = start(state)
    now += 4_999
    cache.keep(KEY, state)
    now += 1
    expect(found(cache, message('4', { a: '9' }))).toBeUndefined()
    expect(found(cache, message('5', { a: '8' }))).toBeUndefined()
  })

  it('takes in further slices of the same Service, and none of another one of that name', () => {
    const cache = start({ service: service('5'), slices: [slice('a', '7')] })
    cache.keep(KEY, { service: service('5'), slices: [slice('b', '8')] })
    expect(found(cache, message('5', { a: '7', b: '8' }))).toBeDefined()
    cache.keep(KEY, { service: service('9', 'uid-other'), slices: [slice('c', '10')] })
    expect(found(cache, message('9', { a: '7' }))).toBeUndefined()
    expect(found(cache, message('9', { c: '10' }))).toBeDefined()
  })

  it('says of no slice that facts have written it once it is not known of how new Pods they were', () => {
    const cache = start({ service: service('5'), slices: [slice('a', '7'), slice('b', '8')] })
    const reported = message('5', { a: '7', b: '8' })
    const byFacts = (): ReadonlySet<string> | undefined => cache.find(reported, reported.hint)?.byFacts
    const seen = { ...KEY, podsVersion: '9' }
    cache.keep(seen, { service: service('5'), slices: [slice('a', '7'), slice('b', '8')] }, true)
    expect(byFacts()).toEqual(new Set(['a', 'b']))
    cache.keep(KEY, { service: service('5'), slices: [slice('b', '8')] })
    cache.keep(seen, { service: service('5'), slices: [slice('b', '8')] }, true)
    expect(byFacts()).toEqual(new Set(['b']))
  })

  it('is forgotten when a write shows that something else is there', () => {
    const cache = start({ service: service('5'), slices: [slice('a', '7')] })
    cache.forget(KEY)
    expect(found(cache, message('5', { a: '7' }))).toBeUndefined()
  })

  it('does not count where it has no version that could be compared', () => {
    const { resourceVersion: _, ...metadata } = service('5').metadata ?? {}
    const cache = start({ service: { ...service('5'), metadata }, slices: [slice('a', '7')] })
    const { serviceVersion: __, ...reported } = message('5', { a: '7' })
    expect(cache.find(reported, reported.hint)).toBeUndefined()
    expect(found(cache, message('5', { a: '7' }))).toBeUndefined()
  })

  it('is used when it is kept again, and another is forgotten before it', () => {
    const state = { service: service('5'), slices: [slice('a', '7', 9_000)] }
    const cache = new StateCache(() => now)
    const isKept = (name: string): boolean =>
      found(cache, { ...message('5', { a: '7' }), service: name }) !== undefined
    for (const name of ['one', 'two', 'one', 'three']) cache.keep({ ...KEY, service: name }, state)
    expect(['one', 'two', 'three'].map(isKept)).toEqual([true, false, true])
    cache.forget({ ...KEY, service: 'one' })
    cache.keep({ ...KEY, service: 'four' }, state)
    expect(['three', 'four'].map(isKept)).toEqual([true, true])
  })

  const large: Service = {
    ...service('5'),
    metadata: { ...service('5').metadata, annotations: { note: 'x'.repeat(60_000) } },
  }
  it.each([
    ['endpoints', { service: service('5'), slices: [slice('a', '7', 100)] }],
    ['annotations', { service: large, slices: [slice('a', '7')] }],
  ])('is bounded, by its %s; what was used longest ago is forgotten first', (_, state) => {
    const cache = new StateCache(() => now)
    const keyOf = (index: number) => ({ ...KEY, service: `web-${index}` })
    const count = 300
    for (let index = 0; index < count; index++) cache.keep(keyOf(index), state)
    const isKept = (index: number): boolean =>
      found(cache, { ...message('5', { a: '7' }), ...keyOf(index) }) !== undefined
    const left = Array.from({ length: count }, (_each, index) => index).filter(isKept)
    expect(left.length).toBeGreaterThan(150)
    expect(left.length).toBeLessThan(250)
    expect(left.at(-1)).toBe(count - 1)
  })
})
