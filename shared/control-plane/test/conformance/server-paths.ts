import { createLocalJWKSet, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { accepted, type Subject } from './subject.ts'

/** Describes what a server says about itself: health, paths, metrics, the keys of its tokens. */
export function describeServerPaths(subject: Subject): void {
  describe('the paths of the server itself', () => {
    const text = async (path: string, accept = '*/*') => {
      const { status, text: body, headers } = await subject.client.get(path, { accept })
      return { status, body, type: headers['content-type'] }
    }

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
