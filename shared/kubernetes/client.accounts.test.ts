import { getEventListeners } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { answerJson, type ScriptedServer, startScriptedServer } from '../../test/support/scripted-server.ts'
import {
  type ApiClient,
  type ApiClientOptions,
  type Credentials,
  createApiClient,
  ExpiredError,
  PODS,
  SERVICES,
} from './index.ts'

const REF = { namespace: 'shop', name: 'cart' }
const FOUND = { metadata: { name: 'cart' } }
const WATCH = { resourceVersion: '1', timeoutSeconds: 300, inactivityMs: 80_000 }
/** More than sockets and parsers hold back by themselves. */
const LONG_REFUSAL = { kind: 'Status', code: 401, reason: 'Unauthorized', message: 'no '.repeat(100_000) }

/**
 * Resource leaks of a client: it releases all connections, timers and listeners of a call.
 */
describe('the accounts of an API client', () => {
  let server: ScriptedServer
  /** Open on the server's side. */
  let sockets: Set<Socket>
  const clients: ApiClient[] = []

  beforeEach(async () => {
    sockets = new Set()
    server = await startScriptedServer()
  })
  afterEach(async () => {
    vi.useRealTimers()
    for (const client of clients.splice(0)) client.close()
    await server.close()
  })

  function clientWith(
    options?: ApiClientOptions,
    credentials?: () => Partial<Credentials> | Promise<Partial<Credentials>>,
  ): ApiClient {
    const load = async () => ({ ...(await server.connection.credentials()), ...(await credentials?.()) })
    const client = createApiClient({ ...server.connection, credentials: load }, options)
    clients.push(client)
    return client
  }
  const answer = (script: (request: IncomingMessage, response: ServerResponse) => void): void =>
    server.answer((request, response) => {
      const { socket } = request
      if (!sockets.has(socket)) socket.once('close', () => sockets.delete(socket))
      sockets.add(socket)
      script(request, response)
    })
  const found = (_: IncomingMessage, response: ServerResponse): void => answerJson(response, FOUND)
  const fakeTimeouts = (): void => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })

  it('hold no connection of a refusal, however long it was and however often it came', async () => {
    let calls = 0
    answer((_, response) =>
      calls++ % 2 === 0 ? answerJson(response, LONG_REFUSAL, 401) : answerJson(response, FOUND),
    )
    const client = clientWith()
    for (let call = 0; call < 20; call++) expect(await client.get(SERVICES, REF)).toEqual(FOUND)
    expect(calls).toBe(40)
    expect(server.connections()).toBeLessThanOrEqual(2)
  })

  it('open 64 connections at most, whatever is asked for at once', async () => {
    const waiting: (() => void)[] = []
    answer((request, response) => {
      waiting.push(() => found(request, response))
      if (waiting.length === 64) for (const go of waiting.splice(0)) go()
    })
    const client = clientWith()
    const calls = Array.from({ length: 128 }, () => client.get(SERVICES, REF))
    await Promise.all(calls)
    expect(server.connections()).toBe(64)
  })

  /**
   * Makes credentials with other TLS material each time, which means other connections; they hold for no
   * second call.
   */
  const renewed = (loads: { count: number }) => async (): Promise<Partial<Credentials>> => {
    const { ca } = await server.connection.credentials()
    return { ca: `${ca}${'\n'.repeat(++loads.count)}`, expiresAt: Date.now() - 1 }
  }

  it('keep no connection that belongs to credentials of before', async () => {
    answer(found)
    const loads = { count: 0 }
    const client = clientWith({}, renewed(loads))
    for (let call = 0; call < 10; call++) expect(await client.get(SERVICES, REF)).toEqual(FOUND)
    expect([loads.count, server.connections()]).toEqual([10, 10])
    await vi.waitFor(() => expect(sockets.size).toBe(1))
  })

  it('keep no connection that was busy when other credentials came', async () => {
    const held: (() => void)[] = []
    answer((request, response) => {
      if (held.length === 0) held.push(() => found(request, response))
      else found(request, response)
    })
    const client = clientWith({}, renewed({ count: 0 }))
    const busy = client.get(SERVICES, REF)
    await vi.waitFor(() => expect(held).toHaveLength(1))
    expect(await client.get(SERVICES, REF)).toEqual(FOUND)
    held[0]?.()
    expect(await busy).toEqual(FOUND)
    await vi.waitFor(() => expect(sockets.size).toBe(1))
  })

  it('hold no connection once the client is closed', async () => {
    answer(found)
    const client = clientWith()
    await Promise.all([1, 2, 3].map(() => client.get(SERVICES, REF)))
    expect(sockets.size).toBe(3)
    client.close()
    await vi.waitFor(() => expect(sockets.size).toBe(0))
  })

  it('hold no connection of a watch that its reader has left, or that was refused without end', async () => {
    answer((request, response) => {
      const isRefused = request.url?.includes('resourceVersion=2') === true
      response.writeHead(isRefused ? 400 : 200)
      const line = isRefused ? 'no '.repeat(100_000) : `{"type":"BOOKMARK","object":{}}\n`
      response.write(line)
    })
    const client = clientWith()
    const events = await client.watch(PODS, WATCH)
    for await (const _ of events) break
    await vi.waitFor(() => expect(sockets.size).toBe(0))
    await expect(client.watch(PODS, { ...WATCH, resourceVersion: '2' })).rejects.toMatchObject({ code: 400 })
    await vi.waitFor(() => expect(sockets.size).toBe(0))
  })

  it('load fresh credentials once for all calls that were under way with refused ones', async () => {
    const late: (() => void)[] = []
    answer((request, response) => {
      const refuse = (): void => answerJson(response, LONG_REFUSAL, 401)
      if (request.headers.authorization !== 'Bearer 1') return found(request, response)
      if (late.length > 0) refuse()
      else late.push(refuse)
    })
    let loads = 0
    const client = clientWith({}, () => ({ headers: { authorization: `Bearer ${++loads}` } }))
    const first = client.get(SERVICES, REF)
    await vi.waitFor(() => expect(late).toHaveLength(1))
    await client.get(SERVICES, REF)
    late[0]?.()
    await first
    await client.get(SERVICES, REF)
    expect(loads).toBe(2)
  })

  it('leave no timer behind, of calls that were answered, refused or broken', async () => {
    fakeTimeouts()
    let calls = 0
    answer((request, response) => {
      const kind = calls++ % 3
      if (kind === 0) found(request, response)
      else if (kind === 1) answerJson(response, { code: 404, reason: 'NotFound' }, 404)
      else response.destroy()
    })
    const client = clientWith()
    for (let call = 0; call < 9; call++) {
      await client.get(SERVICES, REF).catch(() => undefined)
      expect(vi.getTimerCount()).toBe(0)
    }
  })

  it.each([
    ['an answer, or for the first byte of a watch', () => undefined],
    ['the end of a refusal', (_, response) => response.writeHead(503).write('no ')],
    ['the end of a refusal of credentials', (_, response) => response.writeHead(401).write('no ')],
  ] satisfies [string, (request: IncomingMessage, response: ServerResponse) => void][])(
    'wait half a minute for %s, and no longer',
    async (_, script) => {
      fakeTimeouts()
      answer(script)
      const client = clientWith()
      for (const call of [() => client.get(SERVICES, REF), () => client.watch(PODS, WATCH)]) {
        const before = server.requests.length
        let outcome = 'open'
        const calling = call().catch(({ code }) => {
          outcome = code
        })
        while (server.requests.length === before) await new Promise((resolve) => setImmediate(resolve))
        // The timer is of what was left when the request began.
        await vi.advanceTimersByTimeAsync(25_000)
        expect(outcome).toBe('open')
        await vi.advanceTimersByTimeAsync(5_000)
        await calling
        expect(outcome).toBe('ETIMEDOUT')
      }
    },
  )

  it('load fresh credentials for the next call where a refusal of credentials does not end', async () => {
    fakeTimeouts()
    answer((request, response) => {
      if (request.headers.authorization === 'Bearer 1') response.writeHead(401).write('no ')
      else found(request, response)
    })
    let loads = 0
    const client = clientWith({}, () => ({ headers: { authorization: `Bearer ${++loads}` } }))
    const refused = expect(client.get(SERVICES, REF)).rejects.toMatchObject({ code: 'ETIMEDOUT' })
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(30_000)
    await refused
    expect(await client.get(SERVICES, REF)).toEqual(FOUND)
    expect(loads).toBe(2)
  })

  it('cut no watch after the time for its first byte, and leave no timer when it ends', async () => {
    fakeTimeouts()
    const line = '{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"2"}}}\n'
    let open: ServerResponse | undefined
    answer((request, response) => {
      if (!request.url?.includes('watch=true')) return found(request, response)
      open = response
      response.writeHead(200).flushHeaders()
    })
    const events = await clientWith().watch(PODS, WATCH)
    let next = events.next()
    for (let part = 0; part < 10; part++) {
      vi.advanceTimersByTime(29_000)
      open?.write(line)
      expect(await next).toMatchObject({ done: false, value: { type: 'BOOKMARK' } })
      next = events.next()
    }
    open?.end()
    expect((await next).done).toBe(true)
    while (vi.getTimerCount() > 0) await new Promise((resolve) => setImmediate(resolve))
  })

  it('leave no listener on a signal that outlives the calls', async () => {
    let calls = 0
    answer((request, response) => {
      if (request.url?.includes('watch=true')) response.writeHead(200).end()
      else if (calls++ % 3 === 0) answerJson(response, LONG_REFUSAL, 401)
      else found(request, response)
    })
    const { signal } = new AbortController()
    const client = clientWith()
    for (let call = 0; call < 12; call++) {
      await client.get(SERVICES, REF, { signal })
      for await (const _ of await client.watch(PODS, { ...WATCH, signal })) break
    }
    await vi.waitFor(() => expect(getEventListeners(signal, 'abort')).toHaveLength(0))
  })

  it('begin a list again three times at most when its snapshots expire', async () => {
    answer((request, response) => {
      if (request.url?.includes('continue='))
        return answerJson(response, { code: 410, reason: 'Expired', message: 'too old' }, 410)
      answerJson(response, { metadata: { resourceVersion: '1', continue: 'x' }, items: [FOUND] })
    })
    await expect(clientWith().list(PODS)).rejects.toBeInstanceOf(ExpiredError)
    expect(server.requests).toHaveLength(6)
  })
})
