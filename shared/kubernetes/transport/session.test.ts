import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  answerJson,
  type ScriptedServer,
  startScriptedServer,
} from '../../../test/support/scripted-server.ts'
import { certificateAuthority } from '../../control-plane/index.ts'
import { type Credentials, createApiClient, SERVICES } from '../index.ts'
import { createTransport, isTooLarge } from './transport.ts'

const REF = { namespace: 'shop', name: 'cart' }

describe('credentials of a cluster', () => {
  let server: ScriptedServer
  const seen: (string | undefined)[] = []

  beforeEach(async () => {
    seen.length = 0
    server = await startScriptedServer()
    server.answer((request, response) => {
      seen.push(request.headers.authorization)
      answerJson(response, { metadata: { name: 'cart' } })
    })
  })
  afterEach(() => server.close())

  const clientWith = (credentials: () => Promise<Partial<Credentials>>) =>
    createApiClient({
      ...server.connection,
      credentials: async () => ({ ...(await server.connection.credentials()), ...(await credentials()) }),
    })

  it('are asked for once while they hold, and again once they have expired, over the same connection', async () => {
    let loads = 0
    let expiresAt = Date.now() + 60_000
    const client = clientWith(async () => ({ headers: { authorization: `Bearer ${++loads}` }, expiresAt }))
    await client.get(SERVICES, REF)
    await client.get(SERVICES, REF)
    vi.useFakeTimers({ toFake: ['Date'], now: expiresAt })
    expiresAt += 60_000
    await client.get(SERVICES, REF)
    await client.get(SERVICES, REF)
    vi.useRealTimers()
    expect(seen).toEqual(['Bearer 1', 'Bearer 1', 'Bearer 2', 'Bearer 2'])
    expect(server.connections()).toBe(1)
    client.close()
  })

  it('are used on after their time where they cannot be loaded again, until the server refuses them', async () => {
    let loads = 0
    const expiresAt = Date.now() + 60_000
    const client = clientWith(async () => {
      if (++loads > 1) throw new Error('half a file')
      return { headers: { authorization: 'Bearer 1' }, expiresAt }
    })
    await client.get(SERVICES, REF)
    vi.useFakeTimers({ toFake: ['Date'], now: expiresAt })
    onTestFinished(() => void vi.useRealTimers())
    for (let call = 0; call < 2; call++) await client.get(SERVICES, REF)
    expect([seen, loads]).toEqual([['Bearer 1', 'Bearer 1', 'Bearer 1'], 2])
    vi.setSystemTime(expiresAt + 10_000)
    await client.get(SERVICES, REF)
    expect(loads).toBe(3)
    server.answer((_, response) => answerJson(response, {}, 401))
    await expect(client.get(SERVICES, REF)).rejects.toThrow('half a file')
    client.close()
  })

  it('are asked for once by calls that begin together', async () => {
    let loads = 0
    const client = clientWith(async () => ({ headers: { authorization: `Bearer ${++loads}` } }))
    await Promise.all([1, 2, 3].map(() => client.get(SERVICES, REF)))
    expect(seen).toEqual(['Bearer 1', 'Bearer 1', 'Bearer 1'])
    client.close()
  })

  it('may tell where the server is', async () => {
    const client = createApiClient({
      name: 'found',
      server: new URL('https://nowhere.invalid'),
      credentials: async () => ({
        ...(await server.connection.credentials()),
        server: server.connection.server,
      }),
    })
    await expect(client.get(SERVICES, REF)).resolves.toMatchObject({ metadata: { name: 'cart' } })
    client.close()
  })

  it.each([
    ['nobody listens', async () => ({ server: new URL('https://127.0.0.1:1') })],
    ['another server is', async () => ({ ca: (await certificateAuthority()).certificate })],
  ])('are asked for again by the next call where %s at the place that they tell', async (_, first) => {
    let loads = 0
    const { server: place } = server.connection
    const client = clientWith(async () => ({ server: place, ...(++loads === 1 && (await first())) }))
    await expect(client.get(SERVICES, REF)).rejects.toMatchObject({ name: 'ConnectionError' })
    await client.get(SERVICES, REF)
    await client.get(SERVICES, REF)
    expect(loads).toBe(2)
    client.close()
  })

  it('are kept where an answer from the place that they tell is too large', async () => {
    let loads = 0
    const credentials = async () => {
      loads++
      return { ...(await server.connection.credentials()), server: server.connection.server }
    }
    const transport = createTransport({ ...server.connection, credentials })
    const call = { method: 'GET', path: '/api', action: 'get something' } as const
    await expect(transport.send({ ...call, maxBytes: 1 }, 10_000)).rejects.toSatisfy(isTooLarge)
    await transport.send(call, 10_000)
    expect(loads).toBe(1)
    transport.close()
  })

  it('that tell another place lead there, over connections of its own, below the path that it has', async () => {
    const other = await startScriptedServer()
    other.answer((_, response) => answerJson(response, { metadata: { name: 'cart', uid: 'other' } }))
    const places = [server, other].map(({ connection }) => new URL('/clusters/blue/', connection.server))
    const client = createApiClient({
      ...server.connection,
      credentials: async () => ({
        headers: {},
        rejectUnauthorized: false,
        ...(places[0] && { server: places.shift() }),
        expiresAt: Date.now() - 1,
      }),
    })
    const uids: (string | undefined)[] = []
    for (const _ of [1, 2]) uids.push((await client.get(SERVICES, REF)).metadata?.uid)
    expect(uids).toEqual([undefined, 'other'])
    expect(other.requests).toEqual(['GET /clusters/blue/api/v1/namespaces/shop/services/cart'])
    client.close()
    await other.close()
  })

  it('are of no use once the client is closed: what is under way ends, and nothing else begins', async () => {
    const transport = createTransport(server.connection)
    const call = { method: 'GET', path: '/api', action: 'get something' } as const
    await transport.send(call, 10_000)
    server.answer(() => transport.close())
    await expect(transport.send(call, 10_000)).rejects.toMatchObject({ name: 'ConnectionError' })
    transport.dropIdle()
    await expect(transport.send(call, 10_000)).rejects.toThrow('the client of cluster scripted is closed')
    expect(server.requests).toHaveLength(2)
  })

  it('have another authority as soon as they are loaded again, where the server is not trusted', async () => {
    const { certificate: other } = await certificateAuthority()
    let loads = 0
    const client = clientWith(async () => (++loads < 3 ? { ca: other } : {}))
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const get = () => client.get(SERVICES, REF)
    // Asked for every 10 s at most: an exec plugin may make them.
    for (const _ of [1, 2]) await expect(get()).rejects.toThrow('not signed by the certificate authority')
    vi.advanceTimersByTime(10_000)
    for (const _ of [1, 2]) await expect(get()).rejects.toThrow('not signed by the certificate authority')
    expect(loads).toBe(2)
    vi.advanceTimersByTime(10_000)
    await expect(get()).rejects.toThrow('not signed by the certificate authority')
    await get()
    expect(loads).toBe(3)
    client.close()
  })

  it('are used on while a certificate was replaced, and its key not yet', async () => {
    const authority = await certificateAuthority()
    const [one, other] = [await authority.client('one', []), await authority.client('other', [])]
    const pairs = [one, { ...other, key: one.key }, other]
    const used: unknown[] = []
    server.answer((request, response) => {
      used.push(request.socket)
      answerJson(response, { metadata: { name: 'cart' } })
    })
    const expiresAt = Date.now()
    const client = clientWith(async () => {
      const { certificate: cert, key } = pairs.shift() ?? other
      return { cert, key, expiresAt: expiresAt + 60_000 * (2 - pairs.length) + 1 }
    })
    vi.useFakeTimers({ toFake: ['Date'], now: expiresAt })
    onTestFinished(() => void vi.useRealTimers())
    for (const ms of [0, 60_000, 10_000]) {
      vi.advanceTimersByTime(ms)
      await client.get(SERVICES, REF)
    }
    expect([used[0] === used[1], used[1] === used[2], pairs.length]).toEqual([true, false, 0])
    client.close()
  })

  it('are kept while nobody listens at a place that they do not tell', async () => {
    let loads = 0
    const client = createApiClient({
      ...server.connection,
      server: new URL('https://127.0.0.1:1'),
      credentials: async () => {
        loads++
        return { headers: {} }
      },
    })
    for (const _ of [1, 2]) await expect(client.get(SERVICES, REF)).rejects.toThrow('ECONNREFUSED')
    expect(loads).toBe(1)
    client.close()
  })

  it('that never come fail a call in its time, and one whose caller gives up at once', async () => {
    const client = createApiClient(
      { ...server.connection, credentials: () => new Promise(() => {}) },
      { timeoutMs: 200 },
    )
    await expect(client.get(SERVICES, REF, { signal: AbortSignal.timeout(20) })).rejects.toThrow(/aborted/)
    await expect(client.get(SERVICES, REF)).rejects.toMatchObject({
      code: 'ETIMEDOUT',
      message: expect.stringMatching(/credentials of cluster scripted did not come within 1 s: /),
    })
    client.close()
  })

  it('are taken by later calls when they come too late for the first', async () => {
    let loads = 0
    const credentials = async () => {
      loads++
      await setTimeout(100)
      return server.connection.credentials()
    }
    const client = createApiClient({ ...server.connection, credentials }, { timeoutMs: 80 })
    await expect(client.get(SERVICES, REF)).rejects.toMatchObject({ code: 'ETIMEDOUT' })
    await expect(client.get(SERVICES, REF)).resolves.toBeDefined()
    expect(loads).toBe(1)
    client.close()
  })

  it('are no longer searched for after a minute, or when the client is closed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const signals: AbortSignal[] = []
    const credentials = (signal?: AbortSignal) => {
      if (signal !== undefined) signals.push(signal)
      return new Promise<Credentials>(() => {})
    }
    const client = createApiClient({ ...server.connection, credentials }, { timeoutMs: 90_000 })
    const first = client.get(SERVICES, REF)
    const outcome = expect(first).rejects.toMatchObject({ code: 'ETIMEDOUT' })
    await vi.advanceTimersByTimeAsync(59_000)
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
    await vi.advanceTimersByTimeAsync(1_000)
    await outcome
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    const second = client.get(SERVICES, REF)
    client.close()
    await expect(second).rejects.toThrow('the client of cluster scripted is closed')
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
    vi.useRealTimers()
  })

  it('are looked up again by the next call when the look-up failed', async () => {
    let loads = 0
    const client = clientWith(async () => {
      if (++loads === 1) throw new Error('the secret cannot be read')
      return {}
    })
    await expect(client.get(SERVICES, REF)).rejects.toThrow('the secret cannot be read')
    await expect(client.get(SERVICES, REF)).resolves.toBeDefined()
    client.close()
  })
})
