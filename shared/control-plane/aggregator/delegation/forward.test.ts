import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DelegatingScene, startDelegatingScene, ZS } from '../../test/server/delegating-scene.ts'
import { isAggregator } from '../../testing/extension-server.ts'

let scene: DelegatingScene

beforeAll(async () => {
  scene = await startDelegatingScene()
  await scene.available('Passed')
})
afterAll(() => scene[Symbol.asyncDispose]())

/** Breaks off the first request of a user that comes over a connection that was used before. */
function breakOff(): { readonly seen: string[]; isDone(): boolean } {
  const seen: string[] = []
  const known = new WeakSet<object>()
  let isDone = false
  scene.extension.answer((request) => {
    if (isAggregator(request)) return false
    seen.push(request.method ?? '')
    const isReused = known.has(request.socket)
    known.add(request.socket)
    if (!isReused || isDone) return false
    isDone = true
    request.socket.destroy()
    return true
  })
  return { seen, isDone: () => isDone }
}

it('a read whose kept connection the other server closes, as all others, is sent once more', async () => {
  const known = new Set<object>()
  const held: ServerResponse[] = []
  scene.extension.answer((request, response) => {
    if (isAggregator(request)) return false
    if (known.has(request.socket)) request.socket.destroy()
    known.add(request.socket)
    // Together, each over a connection of its own.
    held.push(response)
    if (held.length >= 4) for (const each of held.splice(0)) each.end('{}')
    return true
  })
  const read = async () => (await scene.server.client.get(ZS)).status
  expect(await Promise.all([1, 2, 3, 4].map(read))).toEqual([200, 200, 200, 200])
  const last = read()
  await expect.poll(() => known.size).toBe(5)
  held.at(-1)?.end('{}')
  expect(await last).toBe(200)
})

it('a write is not: the other server may have done it', async () => {
  const { seen, isDone } = breakOff()
  const answers: string[] = []
  while (!isDone()) answers.push((await scene.server.client.post(ZS, {})).text)
  expect(answers.at(-1)).toBe('error trying to reach service: EOF\n')
  expect(seen).toHaveLength(answers.length)
})

it('a body that the other server does not take is taken in nevertheless', async () => {
  scene.extension.answer((request, response) => {
    if (isAggregator(request)) return false
    response.writeHead(413)
    response.end('too much')
    return true
  })
  const { status, text } = await scene.server.client.post(ZS, { text: 'x'.repeat(1_000_000) })
  expect([status, text]).toEqual([413, 'too much'])
  scene.extension.answer(undefined)
  expect((await scene.server.client.get(ZS)).status).toBe(200)
})
