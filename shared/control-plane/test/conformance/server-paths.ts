import { createLocalJWKSet, jwtVerify } from 'jose'
import { describe, expect, it, vi } from 'vitest'
import { createRawClient } from '../../../../test/support/raw-client.ts'
import { accepted, PATIENCE, type Subject } from './subject.ts'

const TEXT = 'text/plain; charset=utf-8'

/** Describes what a server says about itself: health, paths, metrics, the keys of its tokens. */
export function describeServerPaths(subject: Subject): void {
  describe('the paths of the server itself', () => {
    const text = async (path: string, accept = '*/*') => {
      const { status, text: body, headers } = await subject.client.get(path, { accept })
      return { status, body, type: headers['content-type'] }
    }

    it('say what its health consists of', async () => {
      expect(await text('/livez/ping')).toEqual({ status: 200, body: 'ok', type: TEXT })
      // etcd has its time for an answer, which a busy machine may need more than.
      await expect.poll(() => text('/readyz/etcd'), PATIENCE).toEqual({ status: 200, body: 'ok', type: TEXT })
      await vi.waitFor(async () => {
        const lines = (await text('/readyz?verbose&exclude=etcd&exclude=none')).body.split('\n')
        expect(lines.slice(0, 3)).toEqual(['[+]ping ok', '[+]log ok', '[+]etcd excluded: ok'])
        expect(lines.slice(-3)).toEqual([
          'warn: some health checks cannot be excluded: no matches for "none"',
          'readyz check passed',
          '',
        ])
        const verbose = (await text('/livez?verbose')).body.split('\n')
        expect(verbose.slice(0, 4)).toEqual([
          '[+]ping ok',
          '[+]log ok',
          '[+]loopback-serving-certificate ok',
          '[+]etcd ok',
        ])
        expect(verbose).toContain('[+]poststarthook/rbac/bootstrap-roles ok')
      }, PATIENCE)
      expect(await text('/readyz/poststarthook/rbac/bootstrap-roles')).toEqual({
        status: 200,
        body: 'ok',
        type: TEXT,
      })
      for (const path of ['/livez/none', '/livez/', '/metrics/']) {
        expect(await text(path)).toEqual({ status: 404, body: '404 page not found\n', type: TEXT })
      }
    })

    it('count requests by their responses', async () => {
      const labels = '{name="ping",status="success",type="livez"}'
      const asked = async (): Promise<number> => {
        const { body } = await text('/metrics/slis')
        return Number(
          body
            .split('\n')
            .find((line) => line.includes(labels))
            ?.split(' ')[1] ?? 0,
        )
      }
      const before = await asked()
      await text('/livez')
      await text('/livez/ping')
      const { body, type } = await text('/metrics/slis')
      expect(type).toBe('text/plain; version=0.0.4; charset=utf-8; escaping=underscores')
      expect(body).toContain('kubernetes_healthcheck{name="ping",type="livez"} 1\n')
      expect(await asked()).toBeGreaterThan(before)
      await text('/livez?exclude=nothing')
      expect(await asked()).toBeGreaterThan(before + 1)
    })

    it('are listed', async () => {
      const { paths } = accepted(await subject.client.get('/'))
      expect(paths).toEqual([...paths].sort())
      for (const path of [
        '/api',
        '/api/v1',
        '/apis/',
        '/metrics',
        '/metrics/slis',
        '/openapi/v2',
        '/readyz/etcd',
        '/version',
      ]) {
        expect(paths).toContain(path)
      }
      expect((await subject.client.get('/')).text).toMatch(/^\{\n {2}"paths": \[\n {4}"/)
    })

    it('take other methods than GET where they are none of the API', async () => {
      for (const path of ['/version', '/api', '/api/v1', '/openid/v1/jwks', '/api/v1/namespaces/default']) {
        expect((await subject.client.send('HEAD', path)).status, path).toBe(405)
        expect((await subject.client.send('OPTIONS', path)).status, path).toBe(405)
      }
      for (const path of ['/healthz', '/metrics', '/openapi/v2', '/', '/apis', '/apis/discovery.k8s.io']) {
        const { status, text: body } = await subject.client.send('HEAD', path)
        expect([path, status, body]).toEqual([path, 200, ''])
      }
    })

    it('count requests', async () => {
      const count = async (): Promise<number> => {
        const { body } = await text('/metrics')
        const line = body
          .split('\n')
          .find((each) => /^apiserver_request_total\{code="200",.*resource="nodes",.*verb="LIST"/.test(each))
        return Number(line?.split(' ').at(-1) ?? 0)
      }
      accepted(await subject.client.get('/api/v1/nodes'))
      const before = await count()
      accepted(await subject.client.get('/api/v1/nodes'))
      expect(await count()).toBe(before + 1)
      const { body, type } = await text('/metrics')
      expect(type).toMatch(/^text\/plain; version=0\.0\.4; charset=utf-8/)
      for (const name of [
        'apiserver_request_duration_seconds_bucket{component="apiserver",dry_run="",group="",resource="nodes",scope="cluster",subresource="",verb="LIST",version="v1",le="0.005"}',
        'apiserver_current_inflight_requests{request_kind="readOnly"}',
        'apiserver_resource_objects{group="",resource="namespaces"}',
        'apiserver_storage_objects{resource="leases.coordination.k8s.io"}',
        'process_resident_memory_bytes',
      ]) {
        expect(body).toContain(`\n${name} `)
      }
    })

    it('do not show metrics to everybody', async () => {
      const nobody = createRawClient(subject.server.kubeconfig, {})
      expect((await nobody.get('/metrics')).status).toBe(403)
      nobody.close()
    })

    it('have the keys by which tokens of service accounts verify', async () => {
      const configuration = await subject.client.get('/.well-known/openid-configuration')
      expect(configuration.headers['cache-control']).toBe('public, max-age=3600')
      const { issuer, jwks_uri, id_token_signing_alg_values_supported } = accepted(configuration)
      const { pathname } = new URL(jwks_uri)
      const keySet = await subject.client.get(pathname, { accept: '*/*' })
      expect(keySet.headers['content-type']).toBe('application/jwk-set+json')
      const path = '/api/v1/namespaces/kube-system/serviceaccounts'
      accepted(await subject.client.post(path, { metadata: { name: 'keys' } }))
      const { status } = accepted(
        await subject.client.post(`${path}/keys/token`, { spec: { audiences: ['a'] } }),
      )
      const { payload, protectedHeader } = await jwtVerify(
        status.token,
        createLocalJWKSet(JSON.parse(keySet.text)),
        { issuer, audience: 'a' },
      )
      expect(payload.sub).toBe('system:serviceaccount:kube-system:keys')
      expect(id_token_signing_alg_values_supported).toContain(protectedHeader.alg)
      const wrong = await subject.client.get(pathname, { accept: 'application/json' })
      expect([wrong.status, wrong.body.message]).toEqual([
        406,
        '406: Not Acceptable\n\nAvailable representations: application/jwk-set+json',
      ])
    })
  })
}
