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
    [SERVICES, { namespace: '../x', name: 'a/b?c' }, '/api/v1/namespaces/..%2Fx/services/a%2Fb%3Fc'],
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
