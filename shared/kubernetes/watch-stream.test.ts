import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { WatchEvent } from './api-client.ts'
import { ConnectionError } from './errors/errors.ts'
import { readWatch, type WatchStreamOptions } from './watch-stream.ts'

const MEGABYTE = 1024 * 1024
const line = (name: string): string =>
  `${JSON.stringify({ type: 'ADDED', object: { metadata: { name, resourceVersion: '1' } } })}\n`

describe('the events of a watch', () => {
  let response: IncomingMessage
  let silences: number
  let pieces: number

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    response = new IncomingMessage(new Socket())
    silences = 0
    pieces = 0
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const read = (options: Partial<WatchStreamOptions> = {}): AsyncGenerator<WatchEvent> =>
    readWatch(response, {
      action: 'watch Pods',
      server: new URL('https://10.0.0.1'),
      inactivityMs: 80_000,
      onSilence: () => void silences++,
      onBytes: () => void pieces++,
      ...options,
    })
  async function namesOf(events: AsyncGenerator<WatchEvent>): Promise<(string | undefined)[]> {
    const names: (string | undefined)[] = []
    for await (const { object } of events) names.push((object.metadata as { name?: string }).name)
    return names
  }

  it('may be of any number and any size together, in whatever pieces they come', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `${index}-`.padEnd(MEGABYTE, 'x'))
    const reading = namesOf(read())
    const bytes = Buffer.from(names.map(line).join(''))
    // Each piece ends within an event, and is read before the next one comes.
    for (let at = 0; at < bytes.length; at += MEGABYTE + 10) {
      response.push(bytes.subarray(at, at + MEGABYTE + 10))
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(pieces).toBeGreaterThan(35)
    response.push(null)
    expect(await reading).toEqual(names)
  })

  it('are no events any more where one is far larger than the API allows', async () => {
    const reading = namesOf(read())
    for (let piece = 0; piece < 17; piece++) response.push(Buffer.alloc(MEGABYTE, 'x'))
    await expect(reading).rejects.toMatchObject({ name: 'ConnectionError', code: 'ETOOLARGE' })
    expect(response.destroyed).toBe(true)
  })

  it('end by an error once nothing has come for the time that they may be silent, and not before', async () => {
    const reading = namesOf(read())
    const outcome = expect(reading).rejects.toMatchObject({ code: 'ESILENT' })
    for (let minute = 0; minute < 10; minute++) {
      await vi.advanceTimersByTimeAsync(79_000)
      // Bytes are a sign of life, a whole event or not.
      response.push(Buffer.from(' '))
      await vi.advanceTimersByTimeAsync(0)
    }
    expect([pieces, silences]).toEqual([10, 0])
    await vi.advanceTimersByTimeAsync(80_000)
    await outcome
    expect(silences).toBe(1)
    await expect(reading).rejects.toThrow('failed to watch Pods: silent for 80 s')
  })

  it('need nobody who hears of bytes or of silence', async () => {
    const reading = namesOf(read({ onBytes: undefined, onSilence: undefined }))
    const outcome = expect(reading).rejects.toMatchObject({ code: 'ESILENT' })
    response.push(Buffer.from(line('a')))
    await vi.advanceTimersByTimeAsync(0)
    await vi.advanceTimersByTimeAsync(80_000)
    await outcome
  })

  it('are measured each by itself, whatever came before it in the same piece', async () => {
    const names = ['x'.repeat(9 * MEGABYTE), 'b']
    const bytes = Buffer.from(names.map(line).join(''))
    const reading = namesOf(read())
    response.push(bytes.subarray(0, -5))
    await new Promise((resolve) => setImmediate(resolve))
    response.push(bytes.subarray(-5))
    response.push(null)
    expect(await reading).toEqual(names)
  })

  it.each([
    ['ended', () => void response.push(null)],
    ['broke', () => void response.destroy(new Error('reset'))],
    ['were left', async (events: AsyncGenerator<WatchEvent>) => void (await events.return(undefined))],
  ])('leave no timer and no open response when they %s', async (_, end) => {
    const events = read()
    response.push(Buffer.from(line('a')))
    expect((await events.next()).done).toBe(false)
    expect(vi.getTimerCount()).toBe(1)
    await end(events)
    await events.next().catch(() => undefined)
    expect(vi.getTimerCount()).toBe(0)
    expect(response.destroyed).toBe(true)
  })

  it('end by the reason of the signal, whatever broke because of it', async () => {
    const ending = new AbortController()
    const reading = namesOf(read({ signal: ending.signal }))
    ending.abort(new Error('the relay ends'))
    response.destroy(new Error('aborted'))
    await expect(reading).rejects.toThrow('the relay ends')
  })

  it.each([
    ['no JSON', '{"type":\n', 'an event is not JSON'],
    ['of no known type', '{"type":"SYNCED","object":{}}\n', 'unknown event type "SYNCED"'],
  ])('are refused where one is %s', async (_, text, problem) => {
    response.push(Buffer.from(text))
    const reading = namesOf(read())
    await expect(reading).rejects.toBeInstanceOf(ConnectionError)
    await expect(reading).rejects.toMatchObject({
      code: 'EBADMESSAGE',
      message: expect.stringContaining(problem),
    })
  })

  it('pass over empty lines', async () => {
    response.push(Buffer.from(`\n\n${line('a')}\n`))
    response.push(null)
    expect(await namesOf(read())).toEqual(['a'])
  })

  it('are thrown where one is an error, with its code and reason, or as a fault of the server', async () => {
    response.push(
      Buffer.from('{"type":"ERROR","object":{"code":410,"reason":"Expired","message":"too old"}}\n'),
    )
    await expect(namesOf(read())).rejects.toMatchObject({ name: 'ExpiredError', code: 410 })
    response = new IncomingMessage(new Socket())
    response.push(Buffer.from('{"type":"ERROR","object":{"message":"odd"}}\n'))
    await expect(namesOf(read())).rejects.toMatchObject({ code: 500 })
  })
})
