import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTokenCheck, isOwnHost } from './access.ts'
import type { PageFile } from './page-file.ts'
import { createSubscribers, MOST_SUBSCRIBERS, type Subscriber } from './subscribers.ts'

export interface ConsoleServerOptions {
  /** The first part of each path. */
  readonly token: string
  /** Files of the page, by name; `index.html` stands for the end of the URL. */
  readonly files: ReadonlyMap<string, PageFile>
  /** A page was opened: told once a stream. Returns what is to be done when it is closed. */
  readonly onOpened: (subscriber: Subscriber, query: URLSearchParams) => () => void
}

/** Serves the page on 127.0.0.1, to whoever knows the token. It does not keep the process running. */
export interface ConsoleServer {
  /** Pages that are open. */
  readonly subscribers: number
  /** Tells every page. @param data of JSON */
  publish(name: string, data: unknown): void
  /**
   * Resolves to the URL of the page; rejects with the system's error where the port is taken.
   * @param port 0 picks one
   */
  listen(port: number): Promise<string>
  /** Ends all streams and frees the port. */
  stop(): Promise<void>
}

/** Name of the streams, which only this server uses. */
const STREAM = 'events'
const MOST_CONNECTIONS = 4 * MOST_SUBSCRIBERS
const MOST_HEADER_BYTES = 8 * 1024
/** A request has come by then, in milliseconds. */
const REQUEST_MS = 10_000

/**
 * Lets the page run the scripts of this server alone, connect to it alone, stand in no frame, and tell nobody
 * its URL.
 */
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

export function createConsoleServer({ token, files, onOpened }: ConsoleServerOptions): ConsoleServer {
  const isRight = createTokenCheck(token)
  const subscribers = createSubscribers()
  const server = createServer({ maxHeaderSize: MOST_HEADER_BYTES, requestTimeout: REQUEST_MS }, answer)
  server.maxConnections = MOST_CONNECTIONS
  server.unref()
  let port = 0

  function answer(request: IncomingMessage, response: ServerResponse): void {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    const route = routeOf(request)
    const file = 'name' in route ? files.get(route.name ?? '') : undefined
    if ('status' in route) refuse(response, route)
    else if (file !== undefined) response.setHeader('content-type', file.type).end(file.content)
    else if (route.name === STREAM && request.method === 'GET') stream(response, route.query)
    // Links of the page begin where its URL ends.
    else if (route.name === undefined) response.writeHead(308, { location: `/${token}/` }).end()
    else refuse(response, { status: 404, why: 'there is no such page' })
  }

  function routeOf({ headers, method, url }: IncomingMessage): Route | Refusal {
    if (!isOwnHost(headers.host, port))
      return { status: 421, why: 'this server answers to 127.0.0.1 and localhost only' }
    const parsed = URL.parse(`http://console${url}`)
    const [, given = '', ...rest] = parsed?.pathname.split('/') ?? []
    if (parsed === null || !isRight(given))
      return { status: 403, why: 'open the URL that sliceflow printed when it started' }
    if (method !== 'GET' && method !== 'HEAD') return { status: 405, why: 'this server is read-only' }
    const name = rest.length === 0 ? undefined : rest.join('/') || 'index.html'
    return { name, query: parsed.searchParams }
  }

  function stream(response: ServerResponse, query: URLSearchParams): void {
    let close = (): void => undefined
    const subscriber = subscribers.add(response, () => close())
    if (subscriber !== undefined) close = onOpened(subscriber, query)
    else refuse(response, { status: 503, why: `${MOST_SUBSCRIBERS} pages are open, the maximum` })
  }

  return {
    get subscribers() {
      return subscribers.size
    },
    publish: (name, data) => subscribers.publish(name, data),
    async listen(wanted) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      server.once('error', reject)
      server.listen(wanted, '127.0.0.1', resolve)
      await promise
      port = (server.address() as AddressInfo).port
      return `http://127.0.0.1:${port}/${token}/`
    },
    async stop() {
      subscribers.close()
      if (!server.listening) return
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** A path that users who know the token may ask for. */
interface Route {
  /** Absent where the path ends with the token. */
  readonly name: string | undefined
  readonly query: URLSearchParams
}

interface Refusal {
  readonly status: number
  readonly why: string
}

const refuse = (response: ServerResponse, { status, why }: Refusal): void =>
  void response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${why}\n`)
