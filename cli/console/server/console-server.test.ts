import { once } from 'node:events'
import { type IncomingMessage, type RequestOptions, request } from 'node:http'
import { connect } from 'node:net'
import fc from 'fast-check'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { readEventStream, type StreamMessage } from '../../../test/support/event-stream.ts'
import {
  type ConsoleServer,
  createConsoleServer,
  createToken,
  createTokenCheck,
  isToken,
  MAX_SUBSCRIBERS,
  MAX_WAITING_BYTES,
} from './console-server.ts'

const TOKEN = createToken()
const FILES = new Map([
  ['index.html', { type: 'text/html; charset=utf-8', content: '<h1>page</h1>' }],
  ['main.js', { type: 'text/javascript; charset=utf-8', content: 'start()' }],
])

let server: ConsoleServer
let url: URL
/** Number of pages that the server reported as opened and not yet as closed. */
let pages: { open: number }

beforeEach(async () => {
  const counted = { open: 0 }
  pages = counted
  server = createConsoleServer({
    token: TOKEN,
    files: FILES,
    onOpened(subscriber, query) {
      counted.open++
      subscriber.send('welcome', query.get('service'))
      return () => void counted.open--
    },
  })
  url = new URL(await server.listen(0))
  onTestFinished(() => server.stop())
})

/** Asks for a path exactly as written, with headers that `fetch` does not let one choose. */
async function ask(path: string, options: RequestOptions = {}): Promise<IncomingMessage> {
  const asked = request({ host: '127.0.0.1', port: url.port, path, ...options }).end()
  const [response]: IncomingMessage[] = await once(asked, 'response')
  response?.resume()
  return response as IncomingMessage
}
const statusOf = async (path: string, options?: RequestOptions) => (await ask(path, options)).statusCode

/** Opens a page and yields its messages. */
async function openPage(query = ''): Promise<AsyncGenerator<StreamMessage>> {
  const ending = new AbortController()
  onTestFinished(() => ending.abort())
  const messages = readEventStream(`${url}events${query}`, ending.signal)
  expect((await messages.next()).value).toMatchObject({ name: 'welcome' })
  return messages
}

describe('the console’s server', () => {
  it('serves what makes up the page, each by its type', async () => {
    const page = await fetch(url)
    expect(await page.text()).toBe('<h1>page</h1>')
    const script = await fetch(`${url}main.js`)
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(await statusOf(`/${TOKEN}/other.js`)).toBe(404)
  })

  it('leads to where the links of the page begin', async () => {
    const { statusCode, headers } = await ask(`/${TOKEN}`)
    expect([statusCode, headers.location]).toEqual([308, `/${TOKEN}/`])
  })

  it.each([
    '/',
    '/main.js',
    '/events',
    `/${createToken()}/`,
    `/${TOKEN.slice(0, -1)}/`,
    `/${TOKEN}a/events`,
    '//',
    '/?',
  ])('refuses %s, which does not begin with the token', async (path) => {
    expect(await statusOf(path)).toBe(403)
  })

  it.each([`/${TOKEN}/../package.json`, `/${TOKEN}/%2e%2e/package.json`, `/${TOKEN}/page/../../console.ts`])(
    'has no file but its own at %s',
    async (path) => {
      expect([403, 404]).toContain(await statusOf(path))
    },
  )

  it('answers to 127.0.0.1 and localhost at its port, and to no other name', async () => {
    const status = (host: string) => statusOf(`/${TOKEN}/`, { headers: { host } })
    expect(await status(`127.0.0.1:${url.port}`)).toBe(200)
    expect(await status(`localhost:${url.port}`)).toBe(200)
    for (const host of [
      'evil.example',
      `evil.example:${url.port}`,
      '127.0.0.1',
      '127.0.0.1:1',
      `127.0.0.1.evil.example:${url.port}`,
    ])
      expect(await status(host)).toBe(421)
  })

  it('is there to be read only', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect(await statusOf(`/${TOKEN}/events`, { method })).toBe(405)
    expect(await statusOf(`/${TOKEN}/`, { method: 'HEAD' })).toBe(200)
  })

  it('lets a page run its own scripts and nothing else, whatever it answers', async () => {
    for (const path of [`/${TOKEN}/`, `/${TOKEN}/events`, '/']) {
      const response = await ask(path)
      const { headers } = response
      response.destroy()
      const policy = String(headers['content-security-policy']).split('; ')
      expect(policy).toEqual(
        expect.arrayContaining(["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]),
      )
      expect(policy.join()).not.toMatch(/unsafe|\*|https?:/)
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
      })
    }
  })

  it('sends events to every open page, and to each what it asked for', async () => {
    const [one, other] = [await openPage('?service=shop/web'), await openPage()]
    server.publish('figures', { text: 'two\nlines\n\nevent: forged' })
    for (const page of [one, other])
      expect((await page.next()).value).toEqual({
        name: 'figures',
        data: { text: 'two\nlines\n\nevent: forged' },
      })
  })

  it('takes no more pages than it can have, until one is closed', async () => {
    const opened = []
    for (let count = 0; count < MAX_SUBSCRIBERS; count++) opened.push(await openPage())
    expect(await statusOf(`/${TOKEN}/events`)).toBe(503)
    expect([pages.open, server.subscribers]).toEqual([MAX_SUBSCRIBERS, MAX_SUBSCRIBERS])
    await opened[0]?.return(undefined)
    await expect.poll(() => pages.open).toBe(MAX_SUBSCRIBERS - 1)
    await openPage()
  })

  it('opens while a local process has begun 300 requests and ends none', async () => {
    for (let count = 0; count < 300; count++) {
      const socket = connect({ host: '127.0.0.1', port: Number(url.port) }).on('error', () => undefined)
      onTestFinished(() => void socket.destroy())
      await once(socket, 'connect')
      socket.write('GET /')
    }
    await openPage()
    expect(server.subscribers).toBe(1)
  })

  it('cuts off a page that does not read, and no other', async () => {
    const reader = await openPage()
    const socket = connect(Number(url.port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write(`GET /${TOKEN}/events HTTP/1.1\r\nhost: ${url.host}\r\n\r\n`)
    socket.pause()
    await expect.poll(() => server.subscribers).toBe(2)
    const text = 'x'.repeat(MAX_WAITING_BYTES / 4)
    let published = 0
    while (server.subscribers === 2) {
      server.publish('figures', { published: ++published, text })
      expect((await reader.next()).value).toMatchObject({ data: { published } })
      // What the system holds of its own for a connection is a few megabytes at most.
      expect(published).toBeLessThan(200)
    }
    expect([pages.open, server.subscribers]).toEqual([1, 1])
  })

  it('listens on 127.0.0.1 only', async () => {
    // Every address of 127.0.0.0/8 reaches a server that listens on 0.0.0.0.
    await expect(fetch(`http://127.0.0.2:${url.port}/`)).rejects.toThrow('fetch failed')
  })

  it('ends the streams with itself', async () => {
    const page = await openPage()
    await server.stop()
    await expect(page.next()).rejects.toThrow('terminated')
    expect(pages.open).toBe(0)
  })

  it('refuses a port that is taken', async () => {
    const other = createConsoleServer({ token: TOKEN, files: FILES, onOpened: () => () => undefined })
    await expect(other.listen(Number(url.port))).rejects.toThrow('EADDRINUSE')
  })
})

describe('a token', () => {
  it('is another one each time, and stands in a URL as it is', () => {
    const tokens = Array.from({ length: 50 }, createToken)
    expect(new Set(tokens).size).toBe(50)
    for (const token of tokens) expect([isToken(token), encodeURIComponent(token)]).toEqual([true, token])
  })

  it.each(['', 'short', 'x'.repeat(129), `${'x'.repeat(30)}/`, `${'x'.repeat(30)} `])('is not %j', (text) => {
    expect(isToken(text)).toBe(false)
  })

  it('is right only as a whole', () => {
    const isRight = createTokenCheck(TOKEN)
    expect(isRight(TOKEN)).toBe(true)
    fc.assert(fc.property(fc.string(), (text) => isRight(text) === (text === TOKEN)))
    fc.assert(fc.property(fc.nat(TOKEN.length - 1), (length) => !isRight(TOKEN.slice(0, length))))
  })
})
