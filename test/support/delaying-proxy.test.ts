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
  return through({ port, roundTripMs, close: () => void server.close() })
}

async function through(to: { port: number; roundTripMs: number; close(): void }): Promise<() => Socket> {
  const target = { hostname: '127.0.0.1', port: to.port }
  const proxy = await startDelayingProxy({ target, roundTripMs: to.roundTripMs })
  onTestFinished(async () => {
    await proxy.close()
    to.close()
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

  it('need not wait for those before them to arrive', async () => {
    const received: string[] = []
    const client = (await scene((socket) => socket.on('data', (data) => received.push(`${data}`)), 80))()
    client.write('a')
    await pass(40)
    await pass(40)
    await until(() => vi.getTimerCount() === 1)
    vi.advanceTimersByTime(30)
    client.write('b')
    await until(() => vi.getTimerCount() === 2)
    vi.advanceTimersByTime(10)
    await until(() => received.length > 0)
    expect(received).toEqual(['a'])
    vi.advanceTimersByTime(30)
    await until(() => received.length > 1)
    expect(received).toEqual(['a', 'b'])
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

  it('lets a server answer whose client has ended its side', async () => {
    const open = await scene((socket) => void text(socket).then((all) => socket.end(`got ${all}`)), 2)
    const client = open()
    client.end('all of it')
    expect(await text(client)).toBe('got all of it')
  })

  it('does not mix connections', async () => {
    const open = await scene(echo, 2)
    const words = Array.from({ length: 100 }, (_, index) => `connection ${index}`)
    const answers = words.map((word) => {
      const client = open()
      client.end(word)
      return text(client)
    })
    expect(await Promise.all(answers)).toEqual(words)
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

  it('passes on the reset of a client', async () => {
    const failed = Promise.withResolvers<Error>()
    const open = await scene((socket) => {
      socket.on('error', failed.resolve)
      socket.write('hello')
    }, 2)
    const client = open()
    await once(client, 'data')
    client.resetAndDestroy()
    expect(await failed.promise).toMatchObject({ code: 'ECONNRESET' })
  })

  it('resets connections while nobody listens behind it', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    const client = (await through({ port, roundTripMs: 2, close: () => undefined }))()
    const [error] = await once(client, 'error')
    expect(error).toMatchObject({ code: 'ECONNRESET' })
  })
})
