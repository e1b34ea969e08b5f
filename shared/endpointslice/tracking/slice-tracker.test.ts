import { describe, expect, it } from 'vitest'
import { compareVersions, type EndpointSlice, LABEL_SERVICE_NAME, SliceTracker } from '../index.ts'

const SERVICE = { namespace: 'shop', name: 'web' }
const slice = (name: string, resourceVersion: string): EndpointSlice => ({
  metadata: {
    namespace: 'shop',
    name,
    uid: `uid-${name}`,
    resourceVersion,
    labels: { [LABEL_SERVICE_NAME]: 'web' },
  },
  addressType: 'IPv4',
  endpoints: [],
})

describe('a read of slices is stale', () => {
  it('no longer once it shows a later version than was written', () => {
    const tracker = new SliceTracker()
    tracker.written(slice('a', '10'))
    expect(tracker.stale(SERVICE, [slice('a', '100')])).toEqual([])
  })

  it('while it shows a slice that was deleted', () => {
    const tracker = new SliceTracker()
    tracker.deleted(slice('a', '10'))
    expect(tracker.stale(SERVICE, [slice('a', '10')])).toEqual(['a'])
    expect(tracker.stale(SERVICE, [])).toEqual([])
  })

  it('never for ever: a slice that somebody relabelled is waited for until the expectation lapses', () => {
    let now = 0
    const tracker = new SliceTracker({ expiryMs: 1000, now: () => now })
    tracker.written(slice('a', '10'))
    now = 999
    expect(tracker.stale(SERVICE, [])).toEqual(['a'])
    now = 1000
    expect(tracker.stale(SERVICE, [])).toEqual([])
  })

  it('only for its own Service, and not for one that was forgotten', () => {
    const tracker = new SliceTracker()
    tracker.written(slice('a', '10'))
    expect(tracker.stale({ namespace: 'shop', name: 'api' }, [])).toEqual([])
    tracker.forget(SERVICE)
    expect(tracker.stale(SERVICE, [])).toEqual([])
  })

  it('until each slice is as it was written, and for each once', () => {
    const tracker = new SliceTracker()
    tracker.written(slice('a', '10'))
    tracker.written(slice('b', '11'))
    expect(tracker.stale(SERVICE, [slice('a', '10'), slice('b', '9')])).toEqual(['b'])
    expect(tracker.stale(SERVICE, [slice('a', '9'), slice('b', '9')])).toEqual(['b'])
    expect(tracker.stale(SERVICE, [slice('b', '11')])).toEqual([])
    expect(tracker.stale(SERVICE, [])).toEqual([])
  })
})

it.each([
  ['9', '9', 0],
  ['18446744073709551617', '18446744073709551616', 1],
  ['opaque', 'opaque', 0],
  ['x10', '9', -1],
  ['10x', '9', -1],
  ['10', 'x9', -1],
  ['10', '9x', -1],
])('version %s beside %s is %i: of those that are no numbers only equality is known', (a, b, order) => {
  expect(compareVersions(a, b)).toBe(order)
})
