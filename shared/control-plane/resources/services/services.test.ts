import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../apimachinery/json/index.ts'
import { TestServer } from '../../testing/test-client.ts'

const PATH = '/api/v1/namespaces/default/services'
let server: TestServer
beforeAll(async () => {
  server = await TestServer.start({ serviceRanges: ['10.9.0.0/24', 'fd00:9::/120'] })
})
afterAll(() => server[Symbol.asyncDispose]())

let count = 0
const create = async (spec: object) =>
  (await server.create(PATH, { metadata: { name: `s${++count}` }, spec })).body
const specOf = (body: JsonObject) => body.spec as JsonObject & { clusterIPs: string[] }

describe('a Service', () => {
  it('gets a cluster IP and the defaults', async () => {
    const spec = specOf(await create({ ports: [{ port: 80 }] }))
    expect(spec).toMatchObject({
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
      ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
    })
    expect(spec.clusterIPs).toEqual([expect.stringMatching(/^10\.9\.0\.\d+$/)])
  })
  it('gets addresses of both families when it asks for them', async () => {
    const { clusterIPs } = specOf(await create({ ipFamilyPolicy: 'PreferDualStack', ports: [{ port: 80 }] }))
    expect(clusterIPs).toEqual([expect.stringMatching(/^10\.9\./), expect.stringMatching(/^fd00:9::/)])
  })
  it('without selector and cluster IP is of both families', async () => {
    expect(specOf(await create({ clusterIP: 'None' }))).toMatchObject({
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
    })
  })
  it('cannot have the address of another, until that is gone', async () => {
    // In the part of the range that is used last: nobody gets it by chance.
    const ask = { clusterIP: '10.9.0.7', ports: [{ port: 80 }] }
    const first = await create(ask)
    expect((await create(ask)).message).toContain(
      'failed to allocate IP 10.9.0.7: provided IP is already allocated',
    )
    await server.ask('DELETE', `${PATH}/${(first.metadata as JsonObject).name}`)
    expect(specOf(await create(ask)).clusterIPs).toEqual(['10.9.0.7'])
  })
  it('keeps its address for life', async () => {
    const { name } = (await create({ ports: [{ port: 80 }] })).metadata as JsonObject
    const { body } = await server.patch(`${PATH}/${name}`, {
      spec: { clusterIP: '10.9.0.9', clusterIPs: ['10.9.0.9'] },
    })
    expect(body).toMatchObject({ code: 422, message: expect.stringContaining('may not change once set') })
  })
  it('gets node ports when it is of that type', async () => {
    const [port] = specOf(await create({ type: 'NodePort', ports: [{ port: 80 }] })).ports as JsonObject[]
    expect(port?.nodePort).toBeGreaterThanOrEqual(30_000)
    expect(port?.nodePort).toBeLessThanOrEqual(32_767)
  })
})

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
  it('has the first address of the range, which no other Service gets by chance', async () => {
    const kubernetes = await at('/api/v1/namespaces/default/services/kubernetes')
    expect(specOf(kubernetes).clusterIPs).toEqual(['10.9.0.1'])
  })
  it('gets an IPAddress back that somebody deletes', async () => {
    const path = '/apis/networking.k8s.io/v1/ipaddresses/10.9.0.1'
    expect((await server.ask('DELETE', path)).status).toBe(200)
    expect((await at(path)).kind).toBe('IPAddress')
  })
})
