import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startDelayingProxy } from './delaying-proxy.ts'

/** Starts a server with the proxy before it. Returns what connects through it. */
async function scene(serve: (socket: Socket) => void, roundTripMs: number): Promise<() => Socket> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined)
    serve(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const proxy = await startDelayingProxy({ target: { hostname: '127.0.0.1', port }, roundTripMs })
  onTestFinished(async () => {
    await proxy.close()
    server.close()
  })
  return () => connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true })
}

const echo = (socket: Socket): void => void socket.pipe(socket)

describe('bytes through a delaying proxy', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await turn()
  }
  /** Lets time pass once the proxy waits for it. */
  async function pass(ms: number): Promise<void> {
    await until(() => vi.getTimerCount() > 0)
    vi.advanceTimersByTime(ms)
  }

  it('take half of the round trip each way, and a whole one on a connection that is new', async () => {
    const received: string[] = []
    const served = Promise.withResolvers<Socket>()
    const client = (await scene(served.resolve, 80))()
    client.on('data', (data) => received.push(`client ${data}`))
    client.write('ping')
    await pass(40)
    const server = await served.promise
    server.on('data', (data) => received.push(`server ${data}`))
    await pass(40)
    await pass(39)
    await turn()
    expect(received).toEqual([])
    vi.advanceTimersByTime(1)
    await until(() => received.length > 0)
    server.write('pong')
    await pass(39)
    await turn()
    expect(received).toEqual(['server ping'])
    vi.advanceTimersByTime(1)
    await until(() => received.length > 1)
    client.write('again')
    await pass(40)
    await until(() => received.length > 2)
    expect(received).toEqual(['server ping', 'client pong', 'server again'])
  })
})

describe('a delaying proxy', () => {
  it('keeps the order of many pieces in both directions, more than a side takes at once', async () => {
    const client = (await scene(echo, 2))()
    const pieces = Array.from({ length: 400 }, (_, index) =>
      Buffer.alloc(1 + ((index * 7919) % 30_000), index),
    )
    for (const piece of pieces) client.write(piece)
    client.end()
    expect((await buffer(client)).equals(Buffer.concat(pieces))).toBe(true)
  })

  it('passes on the reset of a server, and goes on with others', async () => {
    const open = await scene((socket) => {
      socket.on('data', (data) => {
        if (`${data}` === 'reset') socket.resetAndDestroy()
        else socket.end(data)
      })
    }, 2)
    const client = open()
    client.write('reset')
    const [error] = await once(client, 'error')
    expect(error).toMatchObject({ code: 'ECONNRESET' })
    const other = open()
    other.end('hello')
    expect(await text(other)).toBe('hello')
  })
})
