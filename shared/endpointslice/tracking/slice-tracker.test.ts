import { describe, expect, it } from 'vitest'
import { type EndpointSlice, LABEL_SERVICE_NAME, SliceTracker } from '../index.ts'

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
  it.each([
    ['while it shows an older version than was written', [slice('a', '9')], ['a']],
    ['while a slice that was created is missing', [], ['a']],
    ['no longer once it shows the version written', [slice('a', '10')], []],
    ['no longer once it shows a later one', [slice('a', '100')], []],
  ])('%s', (_, read, stale) => {
    const tracker = new SliceTracker()
    tracker.written(slice('a', '10'))
    expect(tracker.stale(SERVICE, read)).toEqual(stale)
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
})
