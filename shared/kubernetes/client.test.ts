import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answerJson, type ScriptedServer, startScriptedServer } from '../../test/support/scripted-server.ts'
import {
  type ApiClient,
  ConflictError,
  ConnectionError,
  createApiClient,
  ENDPOINT_SLICES,
  ExpiredError,
  ForbiddenError,
  NotFoundError,
  PODS,
  SERVICES,
  TooLargeVersionError,
  UnauthorizedError,
} from './index.ts'

const status = (code: number, reason: string, message: string, more: object = {}): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code,
  reason,
  message,
  ...more,
})

describe('the API client', () => {
  let server: ScriptedServer
  let client: ApiClient
  let token: string

  beforeEach(async () => {
    token = 'first'
    server = await startScriptedServer(() => ({ headers: { authorization: `Bearer ${token}` } }))
    client = createApiClient(server.connection)
  })
  afterEach(async () => {
    client.close()
    await server.close()
  })

  it('sends many calls over one connection', async () => {
    server.answer((_request, response) => answerJson(response, { metadata: { name: 'cart' } }))
    for (let call = 0; call < 20; call++) await client.get(SERVICES, { namespace: 'shop', name: 'cart' })
    expect(server.connections()).toBe(1)
    expect(server.requests[0]).toBe('GET /api/v1/namespaces/shop/services/cart')
  })

  it('calls over a new connection after a silent watch: idle ones may be as dead', async () => {
    const known = new Set<unknown>()
    const found = { metadata: { name: 'cart' } }
    const get = () => client.get(SERVICES, { namespace: 'shop', name: 'cart' })
    server.answer((request, response) => {
      known.add(request.socket)
      if (request.url?.includes('watch=true')) response.writeHead(200).flushHeaders()
      else answerJson(response, found)
    })
    const watch = await client.watch(PODS, { resourceVersion: '1', timeoutSeconds: 60, inactivityMs: 100 })
    await get()
    // From now on the network swallows what is sent over the connections that there are.
    server.answer((request, response) => {
      if (!known.has(request.socket)) answerJson(response, found)
    })
    await expect(watch.next()).rejects.toMatchObject({ code: 'ESILENT' })
    expect(await get()).toEqual(found)
  })

  it('keeps fields that it does not know through a read and a write', async () => {
    const slice = {
      metadata: { name: 's', namespace: 'shop' },
      addressType: 'IPv4',
      endpoints: [],
      futureField: { deep: [1] },
    }
    let written = ''
    server.answer((request, response) => {
      request.on('data', (chunk) => {
        written += chunk
      })
      request.on('end', () => answerJson(response, slice))
    })
    await client.update(ENDPOINT_SLICES, await client.get(ENDPOINT_SLICES, { namespace: 'shop', name: 's' }))
    expect(JSON.parse(written)).toEqual({
      ...slice,
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
    })
    expect(server.requests[1]).toBe('PUT /apis/discovery.k8s.io/v1/namespaces/shop/endpointslices/s')
  })

  it('escapes what goes into a path', async () => {
    server.answer((_request, response) => answerJson(response, {}))
    await client.get(SERVICES, { namespace: 'a/b', name: '../x?y' })
    expect(server.requests).toEqual(['GET /api/v1/namespaces/a%2Fb/services/..%2Fx%3Fy'])
  })

  it('sends the preconditions of a deletion', async () => {
    let body = ''
    server.answer((request, response) => {
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => answerJson(response, status(200, '', '')))
    })
    await client.delete(
      ENDPOINT_SLICES,
      { namespace: 'shop', name: 's' },
      { preconditions: { uid: 'u', resourceVersion: '7' } },
    )
    expect(JSON.parse(body)).toMatchObject({
      kind: 'DeleteOptions',
      preconditions: { uid: 'u', resourceVersion: '7' },
    })
  })

  describe('when the server refuses', () => {
    it.each([
      [403, 'Forbidden', ForbiddenError, false],
      [404, 'NotFound', NotFoundError, false],
      [409, 'Conflict', ConflictError, true],
      [410, 'Expired', ExpiredError, true],
    ])('throws status %i as a typed error', async (code, reason, type, retryable) => {
      server.answer((_request, response) => answerJson(response, status(code, reason, 'no, because'), code))
      const error = await client
        .get(SERVICES, { namespace: 'shop', name: 'cart' })
        .catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(type)
      expect(error).toMatchObject({ code, reason, retryable })
      expect((error as Error).message).toMatch(
        /^failed to get Service shop\/cart of cluster scripted: no, because/,
      )
    })

    it('says what to do about a missing permission', async () => {
      const message =
        'pods is forbidden: User "u" cannot list resource "pods" in API group "" at the cluster scope'
      server.answer((_request, response) => answerJson(response, status(403, 'Forbidden', message), 403))
      await expect(client.list(PODS)).rejects.toThrow(
        /cannot list resource "pods".*; grant this verb on this resource/,
      )
    })

    it('tells how long the server asks to wait', async () => {
      server.answer((_request, response) => {
        response
          .writeHead(429, { 'retry-after': '7' })
          .end(JSON.stringify(status(429, 'TooManyRequests', 'slow down')))
      })
      await expect(client.list(PODS)).rejects.toMatchObject({
        code: 429,
        retryAfterSeconds: 7,
        retryable: true,
      })
    })

    it('throws what is not a Status as well', async () => {
      server.answer((_request, response) => response.writeHead(502).end('<html>bad gateway'))
      await expect(client.list(PODS)).rejects.toMatchObject({ code: 502, retryable: true })
    })
  })

  describe('with a token that has expired', () => {
    it('loads the credentials again and repeats the call', async () => {
      server.answer((request, response) => {
        if (request.headers.authorization === 'Bearer second')
          answerJson(response, { metadata: { name: 'cart' } })
        else answerJson(response, status(401, 'Unauthorized', 'Unauthorized'), 401)
      })
      token = 'second'
      client = createApiClient(server.connection)
      token = 'first'
      const first = client.get(SERVICES, { namespace: 'shop', name: 'cart' })
      token = 'second'
      await expect(first).resolves.toMatchObject({ metadata: { name: 'cart' } })
    })

    it('throws when the new one is refused, too, and never tells the token', async () => {
      server.answer((_request, response) =>
        answerJson(response, status(401, 'Unauthorized', 'Unauthorized'), 401),
      )
      const error = await client.list(PODS).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(UnauthorizedError)
      expect(JSON.stringify(error) + String(error)).not.toContain('first')
      expect(server.requests).toHaveLength(2)
    })
  })

  describe('when the connection fails', () => {
    it('says where nothing listens', async () => {
      await server.close()
      const call = client.list(PODS)
      await expect(call).rejects.toBeInstanceOf(ConnectionError)
      await expect(call).rejects.toThrow(/ECONNREFUSED at 127\.0\.0\.1:\d+: nothing listens there/)
      server = await startScriptedServer()
    })

    it('refuses a server whose certificate another authority signed', async () => {
      const other = await startScriptedServer()
      const stranger = createApiClient({ ...other.connection, credentials: server.connection.credentials })
      await expect(stranger.list(PODS)).rejects.toThrow(
        /certificate is not signed by the kubeconfig’s certificate-authority/,
      )
      stranger.close()
      await other.close()
    })

    it('gives up a call that has no answer in time', async () => {
      server.answer(() => undefined)
      const hasty = createApiClient(server.connection, { timeoutMs: 50 })
      await expect(hasty.list(PODS)).rejects.toMatchObject({ code: 'ETIMEDOUT' })
      hasty.close()
    })

    it('gives up an answer that does not end in time', async () => {
      server.answer((_request, response) => response.writeHead(200).write('{"items":['))
      const hasty = createApiClient(server.connection, { timeoutMs: 50 })
      await expect(hasty.list(PODS)).rejects.toMatchObject({ code: 'ETIMEDOUT' })
      hasty.close()
    })

    it('repeats a call whose idle connection the server had closed', async () => {
      server.answer((_request, response) => answerJson(response, { metadata: { name: 'cart' } }))
      await client.get(SERVICES, { namespace: 'shop', name: 'cart' })
      let cut = false
      server.answer((request, response) => {
        if (cut) return answerJson(response, { metadata: { name: 'till' } })
        cut = true
        request.socket.destroy()
      })
      await expect(client.get(SERVICES, { namespace: 'shop', name: 'till' })).resolves.toMatchObject({
        metadata: { name: 'till' },
      })
    })

    it('throws the reason of an abort', async () => {
      server.answer(() => undefined)
      const abort = new AbortController()
      const call = client.list(PODS, { signal: abort.signal })
      abort.abort(new Error('enough'))
      await expect(call).rejects.toThrow('enough')
    })
  })

  describe('listing', () => {
    const page = (names: string[], next?: string): object => ({
      metadata: { resourceVersion: '9', ...(next && { continue: next }) },
      items: names.map((name) => ({ metadata: { name } })),
    })

    it('gathers every page', async () => {
      server.answer((request, response) => {
        answerJson(response, request.url?.includes('continue=more') ? page(['c']) : page(['a', 'b'], 'more'))
      })
      const list = await client.list(PODS, { namespace: 'shop', labelSelector: 'app=web', limit: 2 })
      expect(list.items.map(({ metadata }) => metadata?.name)).toEqual(['a', 'b', 'c'])
      expect(list.metadata.resourceVersion).toBe('9')
      expect(server.requests).toEqual([
        'GET /api/v1/namespaces/shop/pods?limit=2&labelSelector=app%3Dweb',
        'GET /api/v1/namespaces/shop/pods?limit=2&continue=more&labelSelector=app%3Dweb',
      ])
    })

    it('asks for a list that is not older than a version in one page, which the cache can answer', async () => {
      server.answer((_request, response) => answerJson(response, page(['a'])))
      await client.list(PODS, { namespace: 'shop', notOlderThan: '7', limit: 2 })
      expect(server.requests).toEqual([
        'GET /api/v1/namespaces/shop/pods?resourceVersion=7&resourceVersionMatch=NotOlderThan',
      ])
    })

    it('tells a version that the server has not reached from other timeouts', async () => {
      const details = { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 }
      const texts = {
        7: { ...status(504, 'Timeout', 'too large'), details },
        8: status(504, 'Timeout', 'late'),
      }
      server.answer((request, response) =>
        answerJson(response, texts[request.url?.includes('resourceVersion=7') ? 7 : 8], 504),
      )
      await expect(client.list(PODS, { notOlderThan: '7' })).rejects.toBeInstanceOf(TooLargeVersionError)
      await expect(client.list(PODS, { notOlderThan: '8' })).rejects.not.toBeInstanceOf(TooLargeVersionError)
    })

    it('begins again when the snapshot expired between two pages', async () => {
      let expired = false
      server.answer((request, response) => {
        if (!request.url?.includes('continue='))
          return answerJson(response, page(expired ? ['x'] : ['a'], expired ? undefined : 'more'))
        expired = true
        answerJson(response, status(410, 'Expired', 'too old'), 410)
      })
      const { items } = await client.list(PODS)
      expect(items.map(({ metadata }) => metadata?.name)).toEqual(['x'])
    })

    it('never takes a failed page for an end', async () => {
      server.answer((request, response) => {
        if (request.url?.includes('continue='))
          answerJson(response, status(500, 'InternalError', 'broken'), 500)
        else answerJson(response, page(['a'], 'more'))
      })
      await expect(client.list(PODS)).rejects.toMatchObject({ code: 500 })
    })

    it('never takes something else for an empty list', async () => {
      server.answer((_request, response) => answerJson(response, { kind: 'Status', status: 'Success' }))
      await expect(client.list(PODS)).rejects.toThrow(/not a list/)
    })
  })
})
