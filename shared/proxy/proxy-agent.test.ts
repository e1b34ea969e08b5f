import { once } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import tls from 'node:tls'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type ForwardProxy, startHttpProxy, startSocksProxy } from '../../test/support/forward-proxies.ts'
import { answerJson, type ScriptedServer, startScriptedServer } from '../../test/support/scripted-server.ts'
import { type ApiClient, createApiClient } from '../kubernetes/index.ts'

describe('a cluster behind a proxy', () => {
  let server: ScriptedServer
  let proxy: ForwardProxy | undefined
  let client: ApiClient | undefined
  beforeEach(async () => {
    server = await startScriptedServer()
    server.answer((_, response) => answerJson(response, {}))
  })
  afterEach(async () => {
    vi.unstubAllEnvs()
    client?.close()
    await proxy?.close()
    await server.close()
  })

  const target = (): number => Number(server.connection.server.port)
  const through = (url: string | undefined): ApiClient => {
    client = createApiClient({
      ...server.connection,
      server: new URL(`https://api.corp.example:${target()}`),
      credentials: async () => ({
        ...(await server.connection.credentials()),
        servername: '127.0.0.1',
        rejectUnauthorized: false,
        ...(url !== undefined && { proxy: new URL(url) }),
      }),
    })
    return client
  }

  it('is called over connections that are kept', async () => {
    proxy = await startSocksProxy({ target: target() })
    const { read } = through(`socks5://127.0.0.1:${proxy.port}`)
    await read('/version')
    await read('/version')
    expect(proxy.asked).toEqual([`SOCKS5 name api.corp.example:${target()}`])
  })

  it('is called through the proxy of the environment where the credentials name none', async () => {
    proxy = await startHttpProxy({ target: target() })
    vi.stubEnv('HTTPS_PROXY', `http://me:secret@127.0.0.1:${proxy.port}`)
    await through(undefined).read('/version')
    expect(proxy.asked).toEqual([`CONNECT api.corp.example:${target()} as me:secret`])
  })

  it.each([
    ['5%25off%21', '5%off!'],
    ['5%off!', '5%off!'],
  ])('is called with the password of %j', async (given, password) => {
    proxy = await startHttpProxy({ target: target() })
    await through(`http://me:${given}@127.0.0.1:${proxy.port}`).read('/version')
    expect(proxy.asked).toEqual([`CONNECT api.corp.example:${target()} as me:${password}`])
  })

  it.each([
    ['http', 'ECONNREFUSED'],
    ['socks5', 'ECONNREFUSED'],
  ])('is not blamed for a dead proxy: %s', async (scheme, code) => {
    const dead = createServer().listen(0, '127.0.0.1')
    await once(dead, 'listening')
    const { port } = dead.address() as AddressInfo
    dead.close()
    await expect(through(`${scheme}://me:secret@127.0.0.1:${port}`).read('/version')).rejects.toMatchObject({
      code,
      message: `failed to read /version of cluster scripted: ${code} at the proxy ${scheme}://127.0.0.1:${port}, before the server api.corp.example:${target()} was asked: nothing listens there: is the proxy up, and its address (proxy-url, HTTPS_PROXY) right?`,
    })
  })

  it.each([
    ['http', 407, 'Bad response: 407'],
    ['socks5', 4, 'Socks5 proxy rejected connection - HostUnreachable'],
  ] as const)('is not blamed for a proxy that refuses: %s', async (scheme, refuse, text) => {
    const start = scheme === 'http' ? startHttpProxy : startSocksProxy
    proxy = await start({ target: target(), refuse })
    await expect(through(`${scheme}://127.0.0.1:${proxy.port}`).read('/version')).rejects.toMatchObject({
      code: 'EPROXY',
      message: expect.stringMatching(new RegExp(`EPROXY at the proxy .*: ${text}$`)),
    })
  })

  it.each(['http', 'socks5'])('reads its certificates once for all connections: %s', async (scheme) => {
    proxy = await (scheme === 'http' ? startHttpProxy : startSocksProxy)({ target: target() })
    const { read } = through(`${scheme}://127.0.0.1:${proxy.port}`)
    const reads = vi.spyOn(tls, 'createSecureContext')
    syncBuiltinESMExports()
    onTestFinished(() => {
      reads.mockRestore()
      syncBuiltinESMExports()
    })
    await Promise.all([read('/version'), read('/version'), read('/version')])
    expect(proxy.asked).toHaveLength(3)
    expect(reads).toHaveBeenCalledTimes(1)
  })

  it.each(['http', 'socks5'])(
    'fails a call whose certificate cannot be read, and nothing else: %s',
    async (scheme) => {
      proxy = await (scheme === 'http' ? startHttpProxy : startSocksProxy)({ target: target() })
      const url = new URL(`${scheme}://127.0.0.1:${proxy.port}`)
      client = createApiClient({
        ...server.connection,
        credentials: async () => ({ headers: {}, proxy: url, cert: 'no certificate', key: 'no key' }),
      })
      await expect(client.read('/version')).rejects.toThrow(
        /failed to read .version of cluster scripted: .*PEM/,
      )
    },
  )

  it('is blamed for its own certificate, and the proxy is named', async () => {
    proxy = await startHttpProxy({ target: target() })
    const url = new URL(`http://127.0.0.1:${proxy.port}`)
    client = createApiClient({ ...server.connection, credentials: async () => ({ headers: {}, proxy: url }) })
    await expect(client.read('/version')).rejects.toThrow(
      `at 127.0.0.1:${target()} through the proxy http://127.0.0.1:${proxy.port}: the server’s certificate is not signed by`,
    )
  })
})
