import { describe, expect, it, vi } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import { accepted } from '../subject.ts'
import { API_SERVICES, apiService, GROUP, NAME, PATIENCE, type Scene, ZS } from './scene.ts'

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

export function describeOutages(scene: Scene): void {
  /** Makes an APIService of a Service, and resolves with its condition once that has these members. */
  async function judged(group: string, service: Json, members: Json, spec: Json = {}): Promise<Json> {
    const namespace = scene.place.namespace
    const made = apiService({ service: { namespace, ...service }, ...spec }, group)
    accepted(await scene.place.client.post(API_SERVICES, made))
    const condition = await scene.available(members, `v1.${group}`)
    accepted(await scene.place.client.delete(`${API_SERVICES}/v1.${group}`))
    return condition
  }

  describe('an APIService says why its server is not available:', () => {
    it('there is no such Service', async () => {
      const members = { reason: 'ServiceNotFound' }
      expect(await judged('a.example.com', { name: 'missing' }, members)).toMatchObject({
        type: 'Available',
        status: 'False',
        message: 'service/missing in "api-services" is not present',
      })
    })

    it('the Service has no such port, or no endpoints', async () => {
      const ports = [{ name: 'https', port: 443 }]
      await scene.place.create('services', { metadata: { name: 'inside' }, spec: { ports } })
      const port = await judged(
        'b.example.com',
        { name: 'inside', port: 444 },
        { reason: 'ServicePortError' },
      )
      expect(port.message).toBe('service/inside in "api-services" is not listening on port 444')
      const none = await judged('c.example.com', { name: 'inside' }, { reason: 'EndpointsNotFound' })
      expect(none.message).toBe('cannot find endpointslices for service/inside in "api-services"')
      await scene.place.create('endpointslices', {
        metadata: { name: 'inside', labels: { 'kubernetes.io/service-name': 'inside' } },
        addressType: 'IPv4',
        ports: [{ name: 'https', port: 443 }],
        endpoints: [{ addresses: ['10.9.9.9'], conditions: { ready: false } }],
      })
      const empty = await judged('d.example.com', { name: 'inside' }, { reason: 'MissingEndpoints' })
      expect(empty.message).toBe(
        'endpointslices for service/inside in "api-services" have no addresses with port name "https"',
      )
    })

    it('its certificate is of another authority', async () => {
      const { port } = scene.extension
      const caBundle = Buffer.from(await authorityOf(scene)).toString('base64')
      const members = {
        reason: 'FailedDiscoveryCheck',
        message: expect.stringContaining(
          'tls: failed to verify certificate: x509: certificate signed by unknown authority',
        ),
      }
      const condition = await judged('e.example.com', { name: 'ext', port }, members, { caBundle })
      const url = `https://localhost:${port}/apis/e.example.com/v1`
      expect(condition.message).toContain(`failing or missing response from ${url}: Get "${url}": `)
    })

    it('it does not serve the group', async () => {
      const { port } = scene.extension
      const spec = { insecureSkipTLSVerify: true }
      const url = `https://localhost:${port}/apis/f.example.com/v1`
      const message = `failing or missing response from ${url}: bad status from ${url}: 404`
      const members = { reason: 'FailedDiscoveryCheck', message }
      expect(await judged('f.example.com', { name: 'ext', port }, members, spec)).toMatchObject(members)
    })
  })

  describe('the outage of another server', () => {
    it('hurts its group only, until it is back', async () => {
      const { client } = scene.place
      await scene.extension.stop()
      await scene.lookAgain()
      const condition = await scene.available({
        reason: 'FailedDiscoveryCheck',
        message: expect.stringContaining('connect: connection refused'),
      })
      const url = `https://localhost:${scene.extension.port}/apis/${GROUP}/v1`
      expect(condition.message).toContain(`failing or missing response from ${url}: Get "${url}": dial tcp `)

      await vi.waitFor(async () => {
        for (const path of [ZS, `/apis/${GROUP}/v1`, `${ZS}/a?watch=true`]) {
          const { status, headers, text } = await client.get(path)
          expect([status, text]).toEqual([503, 'service unavailable\n'])
          expect(headers['content-type']).toBe('text/plain; charset=utf-8')
        }
      }, PATIENCE)
      await vi.waitFor(async () => {
        const { items } = accepted(await client.get('/apis', { accept: AGGREGATED }))
        const { versions } = items.find(({ metadata }: Json) => metadata.name === GROUP)
        expect(versions).toEqual([{ version: 'v1', freshness: 'Stale' }])
      }, PATIENCE)
      expect(accepted(await client.get(`/apis/${GROUP}`)).name).toBe(GROUP)
      expect(accepted(await client.get('/apis/discovery.k8s.io/v1')).resources).not.toHaveLength(0)
      expect(accepted(await client.get('/openapi/v3')).paths['api/v1']).toBeDefined()
      await expect.poll(async () => (await client.get('/readyz')).text, PATIENCE).toBe('ok')
      expect((await client.get(scene.place.path('services'))).status).toBe(200)

      await scene.extension.start()
      await scene.lookAgain()
      await scene.available({ reason: 'Passed' })
      await expect.poll(async () => (await client.get(ZS)).status, PATIENCE).toBe(200)
      await vi.waitFor(async () => {
        const { items } = accepted(await client.get('/apis', { accept: AGGREGATED }))
        const { versions } = items.find(({ metadata }: Json) => metadata.name === GROUP)
        expect(versions[0].freshness).toBe('Current')
      }, PATIENCE)
    })

    it('is over for good when its APIService is gone', async () => {
      const { client } = scene.place
      accepted(await client.delete(`${API_SERVICES}/${NAME}`))
      await vi.waitFor(async () => {
        expect((await client.get(ZS)).text).toBe('404 page not found\n')
        const { groups } = accepted(await client.get('/apis'))
        expect(groups.map(({ name }: Json) => name)).not.toContain(GROUP)
      }, PATIENCE)
      await vi.waitFor(async () => {
        const { items } = accepted(await client.get('/apis', { accept: AGGREGATED }))
        expect(items.map(({ metadata }: Json) => metadata.name)).not.toContain(GROUP)
      }, PATIENCE)
    })
  })
}

/** Returns the PEM of an authority that has not signed the extension server's certificate. */
async function authorityOf({ place }: Scene): Promise<string> {
  const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication'
  return accepted(await place.client.get(path)).data['client-ca-file']
}
