import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type ScriptedServer, startScriptedServer } from '../../../test/support/scripted-server.ts'
import { createTransport, isTooLarge, type TransportRequest } from './transport.ts'

const REQUEST: TransportRequest = { method: 'GET', path: '/api', action: 'get something' }
const LONG_MS = 10_000

describe('a transport', () => {
  let server: ScriptedServer
  let transport: ReturnType<typeof createTransport>

  beforeEach(async () => {
    server = await startScriptedServer()
    transport = createTransport(server.connection)
  })
  afterEach(async () => {
    transport.close()
    await server.close()
  })

  describe('answers of a limited size', () => {
    const TEXT = 'x'.repeat(1_000)
    const send = (maxBytes: number) => transport.send({ ...REQUEST, maxBytes }, LONG_MS)

    it('are given up to that size, as sent and inflated', async () => {
      server.answer((_request, response) => response.end(TEXT))
      expect((await send(1_000)).text).toBe(TEXT)
      const gzipped = gzipSync(TEXT)
      server.answer((_request, response) => response.setHeader('content-encoding', 'gzip').end(gzipped))
      expect((await send(1_000)).text).toBe(TEXT)
    })

    it.each([
      ['as sent', false, 'ETOOLARGE'],
      ['once inflated', true, 'ERR_BUFFER_TOO_LARGE'],
    ])('are refused above it, %s', async (_, isGzipped, code) => {
      server.answer((_request, response) => {
        if (isGzipped) response.setHeader('content-encoding', 'gzip')
        response.end(isGzipped ? gzipSync(TEXT) : TEXT)
      })
      const error: unknown = await send(999).catch((cause: unknown) => cause)
      expect(error).toMatchObject({ name: 'ConnectionError', code })
      expect(isTooLarge(error)).toBe(true)
    })

    it('alone are too large, not what else fails', async () => {
      server.answer((request) => request.socket.destroy())
      const error: unknown = await send(1_000).catch((cause: unknown) => cause)
      expect([isTooLarge(error), isTooLarge(new Error('other'))]).toEqual([false, false])
    })
  })

  describe('a connection that the server closes', () => {
    it('as it is used again is replaced by a new one, once', async () => {
      const sockets: Socket[] = []
      server.answer((request, response) => {
        const isUsedAgain = sockets.includes(request.socket)
        sockets.push(request.socket)
        if (isUsedAgain) request.socket.destroy()
        else response.end('well')
      })
      for (let call = 0; call < 3; call++) expect((await transport.send(REQUEST, LONG_MS)).text).toBe('well')
      expect(new Set(sockets).size).toBe(3)
    })

    it.each(['end', 'reset'] as const)(
      'while the process stands still, like all others, is replaced by a new one (%s)',
      async (how) => {
        server.answer((_request, response) => response.end('well'))
        const way = await openWay(Number(server.connection.server.port))
        const own = new URL(server.connection.server)
        own.port = String(way.port)
        const frozen = createTransport({ ...server.connection, server: own })
        await Promise.all([1, 2, 3].map(() => frozen.send(REQUEST, LONG_MS)))
        way.closeAll(how)
        expect((await frozen.send(REQUEST, LONG_MS)).text).toBe('well')
        frozen.close()
      },
    )

    it('after an answer that is none is not used again, and the call is not made once more', async () => {
      server.answer((_request, response) => response.end('well'))
      await transport.send(REQUEST, LONG_MS)
      server.answer((request) => request.socket.end('no HTTP\r\n\r\n'))
      await expect(transport.send(REQUEST, LONG_MS)).rejects.toMatchObject({
        name: 'ConnectionError',
        code: expect.stringMatching(/^HPE_/),
      })
      expect([server.requests.length, server.connections()]).toEqual([2, 1])
    })

    it('on its first use, or in the middle of an answer, is an error', async () => {
      let calls = 0
      server.answer((request) => {
        calls++
        request.socket.destroy()
      })
      await expect(transport.send(REQUEST, LONG_MS)).rejects.toMatchObject({ code: 'ECONNRESET' })
      expect(calls).toBe(1)
      server.answer((request, response) => {
        calls++
        if (calls === 2) response.end('well')
        else response.write('half', () => request.socket.destroy())
      })
      await transport.send(REQUEST, LONG_MS)
      await expect(transport.send(REQUEST, LONG_MS)).rejects.toMatchObject({ code: 'ECONNRESET' })
      expect(calls).toBe(3)
    })
  })

  it('says how long it waited in vain, and calls over a new connection then', async () => {
    let calls = 0
    server.answer((_request, response) => {
      if (++calls !== 2) response.end('well')
    })
    await transport.send(REQUEST, LONG_MS)
    await expect(transport.send(REQUEST, 150)).rejects.toMatchObject({
      name: 'ConnectionError',
      code: 'ETIMEDOUT',
      cause: expect.objectContaining({ message: 'no whole answer within 0.15 s' }),
    })
    expect((await transport.send(REQUEST, LONG_MS)).text).toBe('well')
    expect(server.connections()).toBe(2)
  })

  it('keeps its other connections where a caller ends a call', async () => {
    const held: (() => void)[] = []
    server.answer((_request, response) => {
      held.push(() => response.end('well'))
      if (held.length === 2) for (const go of held) go()
    })
    await Promise.all([1, 2].map(() => transport.send(REQUEST, LONG_MS)))
    const controller = new AbortController()
    server.answer(() => controller.abort())
    await expect(transport.send({ ...REQUEST, signal: controller.signal }, LONG_MS)).rejects.toThrow()
    server.answer((_request, response) => response.end('well'))
    await transport.send(REQUEST, LONG_MS)
    expect(server.connections()).toBe(2)
  })

  it('gives the reason of a call that its caller ends', async () => {
    const controller = new AbortController()
    const reason = new Error('nobody waits any more')
    server.answer(() => controller.abort(reason))
    const call = transport.send({ ...REQUEST, signal: controller.signal }, LONG_MS)
    await expect(call).rejects.toBe(reason)
    await expect(transport.send({ ...REQUEST, signal: controller.signal }, LONG_MS)).rejects.toBe(reason)
  })
})

/**
 * A way to a server by a thread of its own, which closes all connections while this one stands still, as a
 * frozen function does.
 */
async function openWay(target: number) {
  const done = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(WAY, { eval: true, workerData: { target, done } })
  onTestFinished(async () => void (await worker.terminate()))
  const [port]: [number] = (await once(worker, 'message')) as [number]
  return {
    port,
    closeAll(how: 'end' | 'reset'): void {
      worker.postMessage(how)
      expect(Atomics.wait(done, 0, 0, LONG_MS)).toBe('ok')
    },
  }
}

const WAY = `
const { connect, createServer } = require('node:net')
const { setTimeout: sleep } = require('node:timers/promises')
const { parentPort, workerData: { target, done } } = require('node:worker_threads')
const sockets = []
const server = createServer((near) => {
  const far = connect(target, '127.0.0.1')
  near.pipe(far).pipe(near)
  for (const socket of [near, far]) socket.on('error', () => undefined)
  sockets.push(near)
})
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
parentPort.on('message', async (how) => {
  for (const socket of sockets) socket.end()
  await sleep(20)
  if (how === 'reset') for (const socket of sockets) socket.resetAndDestroy()
  await sleep(20)
  Atomics.store(done, 0, 1)
  Atomics.notify(done, 0)
})
`
