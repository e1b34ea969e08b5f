import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https'
import { createInterface } from 'node:readline'
import { parse } from 'yaml'

/** JSON that came from a server under test, which a test reads without checking its shape first. */
// biome-ignore lint/suspicious/noExplicitAny: the suites assert on single fields of many kinds
export type Json = any

export interface RawResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  /** The bytes as UTF-8. */
  readonly text: string
  /** The text as JSON; undefined where it is not JSON. */
  readonly body: Json
}

export interface RawRequest {
  /** A string or bytes are sent as they are, everything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** An open watch, read event by event. */
export interface RawWatch {
  readonly status: number
  /** Returns the next event; undefined when the server has ended the stream. */
  next(): Promise<Json>
  /** Returns the text of the next event. */
  nextText(): Promise<string | undefined>
  /** Returns the events up to and including the first one that `last` accepts. */
  until(last: (event: Json) => boolean): Promise<Json[]>
  close(): void
}

/** Requests as they are written, for suites that compare what a server answers to the letter. */
export interface RawClient {
  send(method: string, path: string, request?: RawRequest): Promise<RawResponse>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<RawResponse>
  post(path: string, body: unknown): Promise<RawResponse>
  put(path: string, body: unknown): Promise<RawResponse>
  /** Sends a JSON merge patch. */
  patch(path: string, body: unknown): Promise<RawResponse>
  delete(path: string, options?: unknown): Promise<RawResponse>
  /** Opens a watch of the path, to which `watch=true` is added. */
  watch(path: string): Promise<RawWatch>
  close(): void
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }]
  readonly users: readonly [{ readonly user: Readonly<Record<string, string>> }]
}

/**
 * @param kubeconfig YAML text with data instead of file names; its first cluster and first user count
 * @param as headers to send instead of the user's credentials; `{}` for none
 */
export function createRawClient(kubeconfig: string, as?: Readonly<Record<string, string>>): RawClient {
  const { clusters, users } = parse(kubeconfig) as Kubeconfig
  const [{ cluster }] = clusters
  const [{ user }] = users
  const server = new URL(cluster.server ?? '')
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const decode = (data: string | undefined): Buffer | undefined =>
    data === undefined ? undefined : Buffer.from(data, 'base64')
  const connection: RequestOptions = {
    host: server.hostname,
    port: server.port,
    ca: decode(cluster['certificate-authority-data']),
    ...(as === undefined && {
      cert: decode(user['client-certificate-data']),
      key: decode(user['client-key-data']),
    }),
  }
  const token = user.token === undefined ? {} : { authorization: `Bearer ${user.token}` }
  const credentials = as ?? token

  function open(method: string, path: string, request: RawRequest, over = agent): Promise<IncomingMessage> {
    const { body } = request
    const text =
      body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    // Without a length Node sends the body of a DELETE unframed, and the server takes it for the next
    // request.
    const contentType =
      text === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }
    const headers = { accept: 'application/json', ...contentType, ...credentials, ...request.headers }
    return new Promise((resolve, reject) => {
      const outgoing = httpsRequest({ ...connection, agent: over, method, path, headers }, resolve)
      outgoing.on('error', reject)
      outgoing.end(text)
    })
  }

  async function send(method: string, path: string, request: RawRequest = {}): Promise<RawResponse> {
    const response = await open(method, path, request)
    const bytes = await bytesOf(response)
    const text = bytes.toString('utf8')
    return { status: response.statusCode ?? 0, headers: response.headers, bytes, text, body: jsonOf(text) }
  }

  return {
    send,
    get: (path, headers) => send('GET', path, { headers }),
    post: (path, body) => send('POST', path, { body }),
    put: (path, body) => send('PUT', path, { body }),
    patch: (path, body) =>
      send('PATCH', path, { body, headers: { 'content-type': 'application/merge-patch+json' } }),
    delete: (path, options) => send('DELETE', path, { body: options }),
    async watch(path) {
      const own = new Agent()
      const response = await open('GET', `${path}${path.includes('?') ? '&' : '?'}watch=true`, {}, own)
      return watchOf(response)
    },
    close: () => agent.destroy(),
  }
}

function watchOf(response: IncomingMessage): RawWatch {
  const lines = createInterface({ input: response })[Symbol.asyncIterator]()
  const nextText = async (): Promise<string | undefined> => {
    const { value, done } = await lines.next()
    return done ? undefined : value
  }
  const next = async (): Promise<Json> => {
    const text = await nextText()
    return text === undefined ? undefined : JSON.parse(text)
  }
  return {
    status: response.statusCode ?? 0,
    next,
    nextText,
    async until(last) {
      const events: Json[] = []
      for (let event = await next(); event !== undefined; event = await next()) {
        events.push(event)
        if (last(event)) return events
      }
      throw new Error(
        `the watch ended before the event that was waited for; it had ${JSON.stringify(events)}`,
      )
    },
    close: () => void response.destroy(),
  }
}

async function bytesOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
