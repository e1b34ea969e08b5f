import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { ObjectReader } from '../../apiserver/registry/object-reader.ts'
import { resolveService } from './resolve.ts'

const reference = { namespace: 'shop', name: 'cart', port: 443 }

function objectsWith(spec: JsonObject | undefined, slices: readonly JsonObject[] = []): ObjectReader {
  const labels = { 'kubernetes.io/service-name': 'cart' }
  const list = slices.map((slice, index) => ({ metadata: { name: `cart-${index}`, labels }, ...slice }))
  const other: KubeObject = {
    metadata: { labels: { 'kubernetes.io/service-name': 'other' } },
    ports: [{ name: 'https', port: 1 }],
    endpoints: [{ addresses: ['10.9.9.9'] }],
  }
  return {
    get: (resource, namespace, name) =>
      spec && resource === 'services' && namespace === 'shop' && name === 'cart'
        ? { metadata: { name }, spec }
        : undefined,
    list: (resource) => (resource === 'endpointslices.discovery.k8s.io' ? [...list, other] : []),
  }
}

const clusterIp = {
  type: 'ClusterIP',
  clusterIP: '10.0.0.7',
  ipFamilies: ['IPv6', 'IPv4'],
  ports: [{ name: 'https', port: 443 }],
}
const slice = (address: string, ready?: boolean): JsonObject => ({
  ports: [
    { name: 'https', port: 8443 },
    { name: 'metrics', port: 9090 },
  ],
  endpoints: [{ addresses: [address], conditions: ready === undefined ? {} : { ready } }],
})

describe('a port of a Service is served by', () => {
  it('the name of an ExternalName, whatever ports it has', () => {
    const objects = objectsWith({ type: 'ExternalName', externalName: 'api.example.com' })
    expect(resolveService(objects, reference)).toEqual({ host: 'api.example.com', port: 443 })
  })

  it('a ready endpoint, on the port of the same name', () => {
    const objects = objectsWith(clusterIp, [slice('10.1.0.1', false), slice('10.1.0.2')])
    expect(resolveService(objects, reference)).toEqual({ host: '10.1.0.2', port: 8443 })
  })

  it('an endpoint of the first IP family, where there is one', () => {
    const objects = objectsWith(clusterIp, [slice('10.1.0.2'), slice('fd00::2', true)])
    for (let round = 0; round < 20; round++) {
      expect(resolveService(objects, reference)).toEqual({ host: 'fd00::2', port: 8443 })
    }
  })

  it('the cluster IP, where there are no EndpointSlices', () => {
    expect(resolveService(objectsWith(clusterIp), reference)).toEqual({ host: '10.0.0.7', port: 443 })
  })
})

describe('unreachable servers are reported in upstream’s words:', () => {
  it.each([
    ['service "cart" not found', objectsWith(undefined)],
    ['unsupported service type "Odd"', objectsWith({ type: 'Odd' })],
    ['no service port 443 found for service "cart"', objectsWith({ ...clusterIp, ports: [{ port: 80 }] })],
    ['no endpoints available for service "cart"', objectsWith(clusterIp, [slice('10.1.0.1', false)])],
    ['cannot route to service with ClusterIP "None"', objectsWith({ ...clusterIp, clusterIP: 'None' })],
  ])('%s', (message, objects) => {
    expect(() => resolveService(objects, reference)).toThrow(message)
  })
})
