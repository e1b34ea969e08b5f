import { once } from 'node:events'
import { connect } from 'node:net'
import { Counter, Registry } from 'prom-client'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Probes } from './health.ts'
import { createHealthServer } from './health-server.ts'

describe('the health server', () => {
  let health: Probes
  let get: (path: string) => Promise<Response>
  let takenPort: number
  const registry = new Registry()
  new Counter({ name: 'things_total', help: 'Things', registers: [registry] }).inc(3)

  beforeEach(async () => {
    health = { live: { ok: true, reason: 'ok' }, ready: { ok: false, reason: 'not listed yet: a' } }
    const documents = new Map([['/status', () => ({ a: 1 })]])
    const server = createHealthServer({ registry, health: () => health, documents })
    takenPort = await server.listen(0)
    onTestFinished(() => server.stop())
    get = (path) => fetch(`http://127.0.0.1:${takenPort}${path}`)
  })

  it('reports whether the relay lives and is ready, and why not', async () => {
    expect((await get('/healthz')).status).toBe(200)
    const unready = await get('/readyz')
    expect(unready.status).toBe(503)
    expect(await unready.text()).toBe('not listed yet: a\n')
    health = { live: { ok: false, reason: 'it hangs' }, ready: { ok: true, reason: 'ok' } }
    expect((await get('/healthz')).status).toBe(503)
    expect((await get('/readyz')).status).toBe(200)
  })

  it('serves the metrics of its registry', async () => {
    const response = await get('/metrics')
    expect(response.headers.get('content-type')).toContain('text/plain')
    expect(await response.text()).toContain('things_total 3')
  })

  it('serves documents as JSON, and names its paths where there is none', async () => {
    const status = await get('/status')
    expect(status.headers.get('content-type')).toBe('application/json')
    expect(await status.json()).toEqual({ a: 1 })
    const unknown = await get('/')
    expect(unknown.status).toBe(404)
    expect(await unknown.text()).toBe('there are /metrics, /status, /healthz, /readyz\n')
  })

  it('names its paths where it has no documents', async () => {
    const bare = createHealthServer({ registry, health: () => health })
    const port = await bare.listen(0)
    onTestFinished(() => bare.stop())
    const unknown = await fetch(`http://127.0.0.1:${port}/status?x=1`)
    expect(unknown.status).toBe(404)
    expect(await unknown.text()).toBe('there are /metrics, /healthz, /readyz\n')
  })

  it('listens on an address that it is given, and on no other', async () => {
    const server = createHealthServer({ registry, health: () => health })
    const port = await server.listen(0, '127.0.0.2')
    onTestFinished(() => server.stop())
    expect((await fetch(`http://127.0.0.2:${port}/healthz`)).ok).toBe(true)
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow('fetch failed')
  })

  it('listens on 127.0.0.1 only', async () => {
    expect((await get('/healthz')).ok).toBe(true)
    // Every address of 127.0.0.0/8 reaches a server that listens on 0.0.0.0.
    await expect(fetch(`http://127.0.0.2:${takenPort}/healthz`)).rejects.toThrow('fetch failed')
  })

  it('ends though somebody holds a connection with half a request', async () => {
    const server = createHealthServer({ registry, health: () => health })
    const socket = connect(await server.listen(0), '127.0.0.1')
    // It may be reset, for which `once` would fail.
    const closed = new Promise((resolve) => socket.on('close', resolve))
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    socket.write('GET /healthz HTTP/1.1\r\n')
    await new Promise((resolve) => setTimeout(resolve, 20))
    await server.stop()
    await closed
    await server.stop()
  })

  it('refuses a port that is taken', async () => {
    const other = createHealthServer({ registry, health: () => health })
    await expect(other.listen(takenPort)).rejects.toThrow('EADDRINUSE')
  })
})
