import { beforeEach, describe, expect, it } from 'vitest'
import type { ApiObject } from '../../shared/kubernetes/index.ts'
import { createViewPublisherKeys, serviceOfService, serviceOfSlice } from './publish-feed.ts'

const slice = (name: string, service?: unknown): ApiObject =>
  ({
    metadata: {
      namespace: 'shop',
      name,
      ...(service !== undefined && { labels: { 'kubernetes.io/service-name': service } }),
    },
  }) as ApiObject
const key = (service: string): object => ({ cluster: 'a', namespace: 'shop', service })

describe('the keys of slices', () => {
  let keys: ReturnType<typeof createViewPublisherKeys>
  beforeEach(() => {
    keys = createViewPublisherKeys('a', serviceOfSlice)
  })

  it('are those of their Services, whatever becomes of the slice', () => {
    expect(keys.put(slice('s', 'cart'))).toEqual([key('cart')])
    expect(keys.put(slice('s', 'cart'))).toEqual([key('cart')])
    expect(keys.remove(slice('s', 'cart'))).toEqual([key('cart')])
  })

  it('are those that a slice belonged to when it goes, or that it names where it was never seen', () => {
    expect(keys.remove(slice('new', 'till'))).toEqual([key('till')])
    keys.put(slice('s', 'cart'))
    expect(keys.remove(slice('s', 'till'))).toEqual([key('cart')])
    expect(keys.remove(slice('s'))).toEqual([])
  })

  it('are both the old and the new one when a slice changes hands', () => {
    keys.put(slice('s', 'cart'))
    expect(keys.put(slice('s', 'till'))).toEqual([key('cart'), key('till')])
    expect(keys.put(slice('s'))).toEqual([key('till')])
    expect(keys.put(slice('s'))).toEqual([])
  })

  it('include slices that were deleted without a watch event', () => {
    for (const name of ['a', 'b']) keys.put(slice(name, name))
    keys.listing()
    keys.put(slice('b', 'b'))
    expect(keys.listed()).toEqual([key('a')])
    keys.listing()
    keys.put(slice('b', 'b'))
    expect(keys.listed()).toEqual([])
  })

  it.each([5, null, '', 'Cart', 'cart/..', 'x'.repeat(64)])('are none for the label %j', (service) => {
    expect(keys.put(slice('s', service))).toEqual([])
  })

  it('are none for labels that are no map', () => {
    expect(keys.put({ metadata: { name: 's', labels: 'oops' } } as ApiObject)).toEqual([])
    expect(keys.put({})).toEqual([])
    expect(createViewPublisherKeys('a', serviceOfService).put({})).toEqual([])
  })
})
