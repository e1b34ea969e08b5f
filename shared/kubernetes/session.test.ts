import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { answerJson, type ScriptedServer, startScriptedServer } from '../../test/support/scripted-server.ts'
import { type Credentials, createApiClient, SERVICES } from './index.ts'

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

  it('are asked for once while they hold, and anew once they have expired, over the same connection', async () => {
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
