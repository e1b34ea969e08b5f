import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestServer } from '../../testing/test-client.ts'

let server: TestServer
beforeAll(async () => {
  server = await TestServer.start({ apis: { serviceRanges: ['10.9.0.0/24', 'fd00:9::/120'] } })
})
afterAll(() => server[Symbol.asyncDispose]())

describe('the Service of the server itself', () => {
  const at = (path: string) => server.ask('GET', path).then(({ body }) => body)

  it('has Endpoints and a slice of the same address and port', async () => {
    const endpoints = await at('/api/v1/namespaces/default/endpoints/kubernetes')
    const slice = await at('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes')
    const [subset] = endpoints.subsets as [{ addresses: [{ ip: string }]; ports: [{ port: number }] }]
    expect(subset.addresses[0].ip).not.toMatch(/^127\./)
    expect(slice).toMatchObject({
      metadata: { labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      endpoints: [{ addresses: [subset.addresses[0].ip], conditions: { ready: true } }],
      ports: [{ name: 'https', port: subset.ports[0].port, protocol: 'TCP' }],
    })
  })

  it('gets an IPAddress back that somebody deletes', async () => {
    const path = '/apis/networking.k8s.io/v1/ipaddresses/10.9.0.1'
    expect((await server.ask('DELETE', path)).status).toBe(200)
    expect((await at(path)).kind).toBe('IPAddress')
  })
})
