import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as setTimeoutPromise } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answerJson, type ScriptedServer, startScriptedServer } from '../../test/support/scripted-server.ts'
import {
  type ApiClient,
  ApiError,
  ConflictError,
  ConnectionError,
  type Credentials,
  createApiClient,
  ExpiredError,
  ForbiddenError,
  NODES,
  NotFoundError,
  PODS,
  SERVICES,
  UnauthorizedError,
} from './index.ts'
import { status } from './status.fixtures.ts'

const WATCH = { resourceVersion: '1', timeoutSeconds: 60, inactivityMs: 80_000 }

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

  describe('when the server refuses', () => {
    it.each([
      [400, 'BadRequest', ApiError, false],
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
        /cannot list resource "pods".*; to grant it, run in that cluster: sliceflow rbac --user u \| kubectl apply -f -$/,
      )
    })

    it.each([null, [], 'text', 7])('takes no %j for an object', async (answer) => {
      server.answer((_request, response) => answerJson(response, answer))
      const object = { metadata: { namespace: 'shop', name: 'cart' } }
      for (const call of [
        client.get(SERVICES, object.metadata),
        client.create(SERVICES, object),
        client.update(SERVICES, object),
        client.patch(SERVICES, object.metadata, {}),
      ])
        await expect(call).rejects.toMatchObject({ code: 'EBADMESSAGE' })
    })

    it('reports how long the server asks to wait', async () => {
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

    it('throws a list that is refused as a bad request as well, and says of which namespace', async () => {
      server.answer((_request, response) => answerJson(response, status(400, 'BadRequest', 'no'), 400))
      const calls = [
        [() => client.list(PODS, { namespace: 'shop' }), 'list Pods in namespace shop'],
        [() => client.list(PODS), 'list Pods'],
        [() => client.get(NODES, { name: 'n1' }), 'get Node n1'],
        [
          () => client.watch(PODS, { ...WATCH, selection: { namespace: 'shop' } }),
          'watch Pods in namespace shop',
        ],
        [() => client.watch(PODS, WATCH), 'watch Pods'],
      ] as const
      for (const [call, action] of calls)
        await expect(call()).rejects.toMatchObject({
          code: 400,
          message: `failed to ${action} of cluster scripted: no`,
        })
      expect(server.requests.filter((request) => request.includes('/namespaces/shop/pods?'))).toHaveLength(2)
    })

    it('reads the refusal of a watch to its end, in whatever pieces it comes', async () => {
      const text = JSON.stringify(status(410, 'Expired', 'too old'))
      server.answer((_request, response) => {
        response
          .writeHead(410)
          .write(text.slice(0, 20), () => setImmediate(() => response.end(text.slice(20))))
      })
      await expect(client.watch(PODS, WATCH)).rejects.toMatchObject({
        name: 'ExpiredError',
        message: expect.stringContaining('too old'),
      })
    })

    it('throws what is not a Status as well', async () => {
      server.answer((_request, response) => response.writeHead(502).end('<html>bad gateway'))
      await expect(client.list(PODS)).rejects.toMatchObject({ code: 502, retryable: true })
    })
  })

  describe('where something else answers in its place, as if all were well', () => {
    const REF = { namespace: 'shop', name: 'cart' }
    const CART = { metadata: { ...REF, resourceVersion: '1' } }

    it.each([
      ['a notice', { message: 'closed for maintenance' }],
      ['a Status', status(200, '', 'ok')],
      ['another object', { metadata: { ...REF, name: 'till' } }],
      ['a list', { items: [], metadata: { resourceVersion: '1' } }],
      ['no object', null],
    ])('throws, rather than taking %s for a Service that asks for nothing', async (_, answer) => {
      server.answer((_request, response) => answerJson(response, answer))
      for (const call of [
        () => client.get(SERVICES, REF),
        () => client.get(SERVICES, REF, { metadataOnly: true }),
        () => client.create(SERVICES, CART),
        () => client.update(SERVICES, CART),
        () => client.patch(SERVICES, REF, {}),
      ])
        await expect(call()).rejects.toMatchObject({
          name: 'ConnectionError',
          message: expect.stringContaining('shop/cart of cluster scripted: the answer is not this object'),
        })
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

    it('throws when the new one is refused, too, and never reports the token', async () => {
      server.answer((_request, response) =>
        answerJson(response, status(401, 'Unauthorized', 'Unauthorized'), 401),
      )
      const error = await client.list(PODS).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(UnauthorizedError)
      expect(JSON.stringify(error) + String(error)).not.toContain('first')
      expect(server.requests).toHaveLength(2)
    })

    /** Answers with a 401, and then with an answer that never ends; each after `ms` milliseconds. */
    const refuseOnceAfter = (ms: number): void => {
      server.answer((_request, response) => {
        setTimeout(() => {
          if (server.requests.length === 1) answerJson(response, status(401, 'Unauthorized', 'no'), 401)
          else response.writeHead(200).write('{"metadata":')
        }, ms)
      })
    }

    it('has one time for both tries', async () => {
      refuseOnceAfter(350)
      const hasty = createApiClient(server.connection, { timeoutMs: 500 })
      const began = performance.now()
      await expect(hasty.list(PODS)).rejects.toMatchObject({ code: 'ETIMEDOUT' })
      const tookMs = performance.now() - began
      expect(tookMs).toBeGreaterThan(450)
      expect(tookMs).toBeLessThan(700)
      hasty.close()
    })

    it('does not begin a second try when its time is over, or its caller gave up', async () => {
      refuseOnceAfter(10)
      let loads = 0
      const credentials = async (): Promise<Credentials> => {
        if (++loads > 1) await setTimeoutPromise(150)
        return server.connection.credentials()
      }
      const slow = createApiClient({ ...server.connection, credentials }, { timeoutMs: 100 })
      await expect(slow.list(PODS)).rejects.toMatchObject({ code: 'ETIMEDOUT' })
      loads = 0
      server.requests.length = 0
      const other = createApiClient({ ...server.connection, credentials })
      await expect(other.list(PODS, { signal: AbortSignal.timeout(100) })).rejects.toThrow(/aborted/)
      await setTimeoutPromise(100)
      expect(server.requests).toHaveLength(1)
      slow.close()
      other.close()
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

    it('says where something listens that speaks no TLS, in one line', async () => {
      const plain = createServer((_, response) => response.end())
      await once(plain.listen(0, '127.0.0.1'), 'listening')
      const { port } = plain.address() as AddressInfo
      const stranger = createApiClient({ ...server.connection, server: new URL(`https://127.0.0.1:${port}`) })
      await expect(stranger.list(PODS)).rejects.toThrow(
        /EPROTO at 127\.0\.0\.1:\d+: wrong version number: is that the https port of an API server\?$/,
      )
      stranger.close()
      plain.close()
    })

    it('refuses a server whose certificate another authority signed', async () => {
      const other = await startScriptedServer()
      const stranger = createApiClient({ ...other.connection, credentials: server.connection.credentials })
      await expect(stranger.list(PODS)).rejects.toThrow(
        /certificate is not signed by the certificate authority given for it/,
      )
      stranger.close()
      await other.close()
    })

    it('gives up an answer that does not end in time', async () => {
      server.answer((_request, response) => response.writeHead(200).write('{"items":['))
      const hasty = createApiClient(server.connection, { timeoutMs: 50 })
      await expect(hasty.list(PODS)).rejects.toMatchObject({ code: 'ETIMEDOUT' })
      hasty.close()
    })

    it('throws when the connection breaks within an answer, and does not repeat that call', async () => {
      server.answer((_request, response) => answerJson(response, { metadata: { name: 'cart' } }))
      await client.get(SERVICES, { namespace: 'shop', name: 'cart' })
      server.answer((request, response) =>
        response.writeHead(200).write('{"metadata":', () => request.socket.destroy()),
      )
      const call = client.get(SERVICES, { namespace: 'shop', name: 'till' })
      await expect(call).rejects.toMatchObject({ name: 'ConnectionError', code: 'ECONNRESET' })
      expect(server.requests).toHaveLength(2)
    })

    it('calls over a new connection after an answer that did not end', async () => {
      const known = new Set<unknown>()
      const found = { metadata: { name: 'cart' } }
      // Enough for an answer on a busy machine.
      const hasty = createApiClient(server.connection, { timeoutMs: 1_000 })
      const get = () => hasty.get(SERVICES, { namespace: 'shop', name: 'cart' })
      server.answer((request, response) => {
        known.add(request.socket)
        if (known.size > 1) answerJson(response, found)
        else setTimeout(() => answerJson(response, found), 50)
      })
      await Promise.all([get(), get()])
      // From now on the network swallows what is sent over the connections that there are.
      server.answer((request, response) => {
        if (known.has(request.socket)) response.writeHead(200).write('{"metadata":')
        else answerJson(response, found)
      })
      await expect(get()).rejects.toMatchObject({ code: 'ETIMEDOUT' })
      expect(await get()).toEqual(found)
      hasty.close()
    })

    it('throws the reason of an abort within an answer', async () => {
      const abort = new AbortController()
      server.answer((_request, response) =>
        response.writeHead(200).write('{"metadata":', () => abort.abort(new Error('enough'))),
      )
      await expect(client.list(PODS, { signal: abort.signal })).rejects.toThrow('enough')
    })
  })
})
