import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createGuardedServer, type Refusal, refuse } from '../../../shared/http-server/index.ts'

export interface PageFile {
  readonly type: string
  readonly content: string
}

/** Bytes of a token: 192 bits. */
const TOKEN_BYTES = 24
/** Form of a token. It needs no escaping in a URL; 22 characters of base64url hold 128 bits. */
const TOKEN = /^[\w-]{22,128}$/

export const createToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url')

/** Reports whether a text may be a token: 22 to 128 characters that need no escaping in a URL. */
export const isToken = (text: string): boolean => TOKEN.test(text)

/** Compares with the token in constant time, independent of the length of the text. */
export function createTokenCheck(token: string): (given: string) => boolean {
  const digest = (text: string): Buffer => hash('sha256', text, 'buffer')
  const expected = digest(token)
  return (given) => timingSafeEqual(digest(given), expected)
}

interface ConsoleServerOptions {
  /** The first part of each path. */
  readonly token: string
  /** Files of the page, by name; `index.html` stands for the end of the URL. */
  readonly files: ReadonlyMap<string, PageFile>
  /** Called when a page is opened, once per stream. Returns the callback for its end. */
  readonly onOpened: (subscriber: Subscriber, query: URLSearchParams) => () => void
}

export type ConsoleServer = ReturnType<typeof createConsoleServer>

/** Name of the streams, which only this server uses. */
const STREAM = 'events'

/** Restricts the page to scripts of and connections to this server, without frames and referrers. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** Serves the page on 127.0.0.1, to requests with the token. It does not keep the process running. */
export function createConsoleServer({ token, files, onOpened }: ConsoleServerOptions) {
  const isRight = createTokenCheck(token)
  const subscribers = new Subscribers()
  const server = createGuardedServer({ answer })

  function answer(request: IncomingMessage, response: ServerResponse): void {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    const route = routeOf(request)
    const file = 'name' in route ? files.get(route.name ?? '') : undefined
    if ('status' in route) refuse(response, route)
    else if (file !== undefined) response.setHeader('content-type', file.type).end(file.content)
    else if (route.name === STREAM && request.method === 'GET') stream(response, route.query)
    // Links of the page begin where its URL ends.
    else if (route.name === undefined) response.writeHead(308, { location: `/${token}/` }).end()
    else refuse(response, { status: 404, reason: 'there is no such page' })
  }

  function routeOf({ method, url }: IncomingMessage): Route | Refusal {
    const parsed = URL.parse(`http://console${url}`)
    const [, given = '', ...rest] = parsed?.pathname.split('/') ?? []
    if (parsed === null || !isRight(given))
      return { status: 403, reason: 'open the URL that sliceflow printed when it started' }
    if (method !== 'GET' && method !== 'HEAD') return { status: 405, reason: 'this server is read-only' }
    const name = rest.length === 0 ? undefined : rest.join('/') || 'index.html'
    return { name, query: parsed.searchParams }
  }

  function stream(response: ServerResponse, query: URLSearchParams): void {
    // A page may wait for its next event as long as it likes.
    response.socket?.setTimeout(0)
    let close = (): void => undefined
    const subscriber = subscribers.add(response, () => close())
    if (subscriber !== undefined) close = onOpened(subscriber, query)
    else refuse(response, { status: 503, reason: `${MAX_SUBSCRIBERS} pages are open, the maximum` })
  }

  return {
    get subscribers(): number {
      return subscribers.size
    },
    /** Sends an event to every page. @param data JSON */
    publish: (name: string, data: unknown): void => subscribers.publish(name, data),
    /**
     * Resolves to the URL of the page; rejects with the system's error where the port is taken.
     * @param wanted 0 picks one
     */
    async listen(wanted: number): Promise<string> {
      const port = await server.listen(wanted)
      server.unref()
      return `http://127.0.0.1:${port}/${token}/`
    },
    async stop(): Promise<void> {
      subscribers.close()
      await server.stop()
    },
  }
}

/** A path that users who know the token may ask for. */
interface Route {
  /** Absent where the path ends with the token. */
  readonly name: string | undefined
  readonly query: URLSearchParams
}

export interface Subscriber {
  /** Sends to it alone. @param data of JSON */
  send(name: string, data: unknown): void
}

/** A browser has six connections to one server, of which it needs one to load the page. */
export const MAX_SUBSCRIBERS = 5
/** Bytes that a page may be behind: some minutes. Then it is disconnected, and gets the current state. */
export const MAX_WAITING_BYTES = 1024 * 1024
/** Milliseconds after which a page reconnects. */
const RETRY_MS = 2_000

/** The streams of server-sent events of all pages that are open. */
class Subscribers {
  readonly #responses = new Set<ServerResponse>()

  get size(): number {
    return this.#responses.size
  }

  /**
   * Begins a stream, until either side ends it.
   * @returns `undefined` where there are as many as may be; nothing was answered then
   */
  add(response: ServerResponse, onEnd: () => void): Subscriber | undefined {
    if (this.size >= MAX_SUBSCRIBERS) return undefined
    this.#responses.add(response)
    response.once('close', () => {
      this.#responses.delete(response)
      onEnd()
    })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    write(response, `retry: ${RETRY_MS}\n\n`)
    return { send: (name, data) => write(response, eventText(name, data)) }
  }

  publish(name: string, data: unknown): void {
    if (this.size === 0) return
    const text = eventText(name, data)
    for (const response of this.#responses) write(response, text)
  }

  close(): void {
    for (const response of this.#responses) response.destroy()
  }
}

function write(response: ServerResponse, text: string): void {
  if (response.writableLength + text.length > MAX_WAITING_BYTES) response.destroy()
  else response.write(text)
}

/** Writes an event. JSON has no line ends of its own, which would end the event. */
const eventText = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
