import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { RawRequest } from '../../../../../test/support/raw-client.ts'
import { type ExtensionRequest, isAggregator } from '../../../testing/extension-server.ts'
import { accepted } from '../subject.ts'
import { PATIENCE, type Scene, ZS } from './scene.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'

export function describeDelegation(scene: Scene): void {
  /** Sends a request and returns what has come of it at the other server. */
  async function delegated(
    method: string,
    path: string,
    request: RawRequest = {},
  ): Promise<ExtensionRequest> {
    scene.extension.requests.length = 0
    await scene.place.client.send(method, path, request)
    const [seen] = scene.extension.requests
    if (!seen) throw new Error(`the extension server has not seen ${method} ${path}`)
    return seen
  }

  describe('a delegated request', () => {
    it('comes from the server itself, in the name of its user', async () => {
      const seen = await delegated('GET', `${ZS}?limit=5&labelSelector=a%3Db`)
      expect(seen.client).toBe('front-proxy-client')
      expect(seen.method).toBe('GET')
      const [path, query] = seen.url.split('?')
      expect(path).toBe(ZS)
      expect(Object.fromEntries(new URLSearchParams(query))).toEqual({ limit: '5', labelSelector: 'a=b' })
      expect(values(seen, 'x-remote-user')).toEqual([expect.stringContaining('admin')])
      expect(values(seen, 'x-remote-group')).toEqual(['system:masters', 'system:authenticated'])
    })

    it('adds the client’s address and the audit ID', async () => {
      const seen = await delegated('GET', ZS, { headers: { 'audit-id': 'one-two-three' } })
      const host = `localhost:${scene.extension.port}`
      expect(values(seen, 'audit-id')).toEqual(['one-two-three'])
      expect(values(seen, 'x-forwarded-for')).toEqual(['127.0.0.1'])
      expect(values(seen, 'x-forwarded-host')).toEqual([host])
      expect(values(seen, 'x-forwarded-proto')).toEqual(['https'])
      expect(values(seen, 'x-forwarded-uri')).toEqual([ZS])
      expect(values(seen, 'host')).toEqual([host])
    })

    it('is of the user who is impersonated', async () => {
      const headers = {
        'impersonate-user': 'ada',
        'impersonate-uid': 'u-1',
        'impersonate-group': 'editors',
        'impersonate-extra-example.com%2fscope': 'a',
      }
      await allow(scene, 'ada')
      const seen = await delegated('GET', ZS, { headers })
      expect(values(seen, 'x-remote-user')).toEqual(['ada'])
      expect(values(seen, 'x-remote-uid')).toEqual(['u-1'])
      expect(values(seen, 'x-remote-group')).toEqual(['editors', 'system:authenticated'])
      expect(values(seen, 'x-remote-extra-example.com%2fscope')).toEqual(['a'])
      expect(seen.lines.filter((line) => line.startsWith('impersonate-'))).toEqual([])
    })

    it('is refused here already for users who may not', async () => {
      const headers = { 'impersonate-user': 'eve' }
      scene.extension.requests.length = 0
      const { status, body } = await scene.place.client.get(ZS, headers)
      expect([status, body.message]).toEqual([
        403,
        'zs.agg.example.com is forbidden: User "eve" cannot list resource "zs" in API group "agg.example.com" in the namespace "api-services"',
      ])
      expect(scene.extension.requests).toEqual([])
    })

    it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('has the body of a %s', async (method) => {
      const body = JSON.stringify({ text: 'ä'.repeat(200_000) })
      const seen = await delegated(method, `${ZS}/a`, { body, headers: { 'content-type': 'text/x' } })
      expect(seen.method).toBe(method)
      expect(seen.body).toBe(body)
      expect(values(seen, 'content-type')).toEqual(['text/x'])
    })
  })

  describe('the answer of another server', () => {
    it('is passed on as it is', async () => {
      scene.extension.answer((request, response) => {
        if (isAggregator(request)) return false
        response.writeHead(418, { 'content-type': 'text/odd', 'x-own': ['a', 'b'], warning: '299 - "care"' })
        response.end('short and stout')
        return true
      })
      const { status, headers, text } = await scene.place.client.get(`${ZS}/pot`)
      scene.extension.answer(undefined)
      expect([status, text]).toEqual([418, 'short and stout'])
      expect(headers).toMatchObject({ 'content-type': 'text/odd', 'x-own': 'a, b', warning: '299 - "care"' })
      expect(headers['audit-id']).toBeDefined()
    })

    it('is not followed elsewhere', async () => {
      scene.extension.answer((request, response) => {
        if (isAggregator(request)) return false
        response.writeHead(302, { location: 'https://127.0.0.1:1/' })
        response.end()
        return true
      })
      const { status, headers, text } = await scene.place.client.get(ZS)
      scene.extension.answer(undefined)
      expect([status, text]).toEqual([
        502,
        'the backend attempted to redirect this request, which is not permitted',
      ])
      expect(headers.location).toBeUndefined()
    })

    it('may be a watch: events come one by one, and its end reaches both sides', async () => {
      const events: ((line: string) => void)[] = []
      const gone: Promise<unknown>[] = []
      scene.extension.answer((request, response) => {
        if (isAggregator(request)) return false
        response.writeHead(200, { 'content-type': 'application/json' })
        response.flushHeaders()
        gone.push(once(response, 'close'))
        events.push((line) => void response.write(`${line}\n`))
        return true
      })
      const watch = await scene.place.client.watch(ZS)
      expect(watch.status).toBe(200)
      for (const name of ['a', 'b']) {
        events[0]?.(JSON.stringify({ type: 'ADDED', object: { metadata: { name } } }))
        expect(await watch.next()).toMatchObject({ object: { metadata: { name } } })
      }
      watch.close()
      await gone[0]
      scene.extension.answer(undefined)
    })

    it('may break off, which ends what was passed on of it', async () => {
      scene.extension.answer((request, response) => {
        if (isAggregator(request)) return false
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
        response.write('{"kind":', () => response.destroy())
        return true
      })
      await expect(scene.place.client.get(ZS)).rejects.toThrow()
      scene.extension.answer(undefined)
    })
  })
}

/** Returns the values of a header, line by line. */
function values({ lines }: ExtensionRequest, name: string): string[] {
  return lines.flatMap((line, index) => (index % 2 === 0 && line === name ? [lines[index + 1] ?? ''] : []))
}

/**
 * Lets a user do everything with `zs` in the namespace of the tests; kube-apiserver hears of that a little
 * later.
 */
async function allow({ place }: Scene, user: string): Promise<void> {
  const at = `${RBAC}/namespaces/${place.namespace}`
  const rules = [{ apiGroups: ['agg.example.com'], resources: ['zs'], verbs: ['*'] }]
  accepted(await place.client.post(`${at}/roles`, { metadata: { name: user }, rules }))
  accepted(
    await place.client.post(`${at}/rolebindings`, {
      metadata: { name: user },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: user },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }],
    }),
  )
  await expect
    .poll(async () => (await place.client.get(ZS, { 'impersonate-user': user })).status, PATIENCE)
    .toBe(200)
}
