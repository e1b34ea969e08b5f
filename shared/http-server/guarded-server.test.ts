import { once } from 'node:events'
import { type OutgoingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createGuardedServer, type GuardOptions, MAX_CONNECTIONS } from './guarded-server.ts'

async function start(options: Partial<GuardOptions> = {}, address?: string): Promise<number> {
  const server = createGuardedServer({ answer: (_, response) => void response.end('ok'), ...options })
  const port = await server.listen(0, address)
  onTestFinished(() => server.stop())
  return port
}

async function statusOf(port: number, headers: OutgoingHttpHeaders = {}): Promise<number | undefined> {
  const asked = request({ host: '127.0.0.1', port, headers, agent: false }).end()
  const [response] = await once(asked, 'response')
  response.resume()
  return response.statusCode
}

/** Opens a connection and sends a part of a request. */
async function half(port: number, text: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port })
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  if (text !== '') socket.write(text)
  return socket
}

describe('a guarded server', () => {
  it('answers to loopback names with its port, and to no other Host', async () => {
    const port = await start()
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`])
      expect(await statusOf(port, { host })).toBe(200)
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      '127.0.0.1:1',
      `127.0.0.1.evil.example:${port}`,
      `0.0.0.0:${port}`,
    ])
      expect(await statusOf(port, { host })).toBe(421)
  })

  it('answers to every Host on an address that others reach, as they know it by other names', async () => {
    const port = await start({}, '0.0.0.0')
    expect(await statusOf(port, { host: 'sliceflow.monitoring.svc:9090' })).toBe(200)
  })

  it('refuses pages of other sites', async () => {
    const port = await start()
    expect(await statusOf(port, { origin: `http://127.0.0.1:${port}` })).toBe(200)
    expect(await statusOf(port, { 'sec-fetch-site': 'none' })).toBe(200)
    expect(await statusOf(port, { 'sec-fetch-site': 'same-origin' })).toBe(200)
    for (const origin of ['http://evil.example', 'null', 'http://127.0.0.1:1', `http://localhost:${port}`])
      expect(await statusOf(port, { origin })).toBe(403)
    for (const site of ['cross-site', 'same-site'])
      expect(await statusOf(port, { 'sec-fetch-site': site })).toBe(403)
  })

  it('refuses every browser where it is told to', async () => {
    const port = await start({ allowsBrowsers: false })
    expect(await statusOf(port)).toBe(200)
    expect(await statusOf(port, { origin: `http://127.0.0.1:${port}` })).toBe(403)
    for (const site of ['none', 'same-origin'])
      expect(await statusOf(port, { 'sec-fetch-site': site })).toBe(403)
  })

  it.each([
    ['nothing', ''],
    ['half of the headers', 'GET / HTTP/1.1\r\nHost: '],
    ['a byte of the body', 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n1'],
  ])('ends a connection that sends %s', { timeout: 20_000 }, async (_, text) => {
    const port = await start({ answer: () => undefined }, '127.0.0.1')
    const socket = await half(port, text.replace('localhost', `localhost:${port}`))
    socket.resume()
    await once(socket, 'close')
  })

  it('answers while more connections are open than it takes', async () => {
    const port = await start()
    const sockets: Socket[] = []
    for (let count = 0; count < MAX_CONNECTIONS + 20; count++) sockets.push(await half(port, 'GET / HT'))
    expect(await statusOf(port)).toBe(200)
    await expect.poll(() => sockets.filter(({ closed }) => closed).length).toBeGreaterThanOrEqual(20)
    expect(sockets.at(-1)?.closed).toBe(false)
  })

  it('does not end a connection that it is answering for the sake of a new one', async () => {
    const waiting: (() => void)[] = []
    const port = await start({
      answer: ({ url }, response) =>
        void (url === '/long' ? waiting.push(() => response.end('late')) : response.end()),
    })
    const long = await half(port, `GET /long HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`)
    await expect.poll(() => waiting.length).toBe(1)
    for (let count = 0; count < MAX_CONNECTIONS + 5; count++) await half(port, '')
    expect(await statusOf(port)).toBe(200)
    waiting[0]?.()
    const [data] = await once(long, 'data')
    expect(String(data)).toContain('200 OK')
  })

  it('frees its port', async () => {
    const server = createGuardedServer({ answer: () => undefined })
    const port = await server.listen(0)
    await half(port, 'GET')
    await server.stop()
    await server.stop()
    expect(await server.listen(port)).toBe(port)
    await server.stop()
  })
})
