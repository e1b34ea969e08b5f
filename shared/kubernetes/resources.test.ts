import { describe, expect, it } from 'vitest'
import { apiVersionOf, ENDPOINT_SLICES, NODES, pathOf, SERVICES } from './resources.ts'

describe('a resource', () => {
  it.each([
    [SERVICES, {}, '/api/v1/services'],
    [SERVICES, { namespace: 'shop' }, '/api/v1/namespaces/shop/services'],
    [SERVICES, { namespace: 'shop', name: 'cart' }, '/api/v1/namespaces/shop/services/cart'],
    [
      SERVICES,
      { namespace: 'shop', name: 'cart', subresource: 'status' },
      '/api/v1/namespaces/shop/services/cart/status',
    ],
    [SERVICES, { namespace: '..x', name: 'b?c' }, '/api/v1/namespaces/..x/services/b%3Fc'],
    [ENDPOINT_SLICES, {}, '/apis/discovery.k8s.io/v1/endpointslices'],
    [NODES, { namespace: 'shop', name: 'n1' }, '/api/v1/nodes/n1'],
  ])('%o of %j is at %s', (resource, ref, path) => {
    expect(pathOf(resource, ref)).toBe(path)
  })

  it('is at its collection when no object is named', () => {
    expect(pathOf(NODES)).toBe('/api/v1/nodes')
  })

  it('has the apiVersion of its group, or none of the core group', () => {
    expect([apiVersionOf(SERVICES), apiVersionOf(ENDPOINT_SLICES)]).toEqual(['v1', 'discovery.k8s.io/v1'])
  })
})

describe('a name that would lead to another object', () => {
  it.each([
    { namespace: 'shop', name: '' },
    { namespace: 'shop', name: '..' },
    { namespace: '..', name: 'web' },
    { namespace: '', name: 'web' },
    { namespace: 'shop', name: '.' },
    { namespace: '../x', name: 'web' },
    { namespace: 'shop', name: 'a%2fb' },
  ])('has no path: %j', (ref) => expect(() => pathOf(SERVICES, ref)).toThrow('there can be no Service'))
})
