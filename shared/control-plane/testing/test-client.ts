import { once } from 'node:events'
import { Agent, request } from 'node:https'
import { parse } from 'yaml'
import type { JsonObject } from '../apimachinery/json/index.ts'
import { type ControlPlane, createControlPlane } from '../control-plane.ts'
import type { ControlPlaneOptions } from '../options.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: JsonObject
  readonly text: string
}
export interface WatchEvent {
  readonly type: string
  readonly object: JsonObject & { metadata: JsonObject }
}
export interface Sent {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** A bearer token instead of the administrator's certificate; empty for no credentials at all. */
  readonly token?: string
}

/** A running control plane and what tests ask it with. */
export class TestServer implements AsyncDisposable {
  readonly #controlPlane: ControlPlane
  readonly #url: URL
  readonly #tls: { ca: Buffer; cert: Buffer; key: Buffer }
  readonly #agent = new Agent({ keepAlive: true })

  constructor(controlPlane: ControlPlane, url: string) {
    this.#controlPlane = controlPlane
    this.#url = new URL(url)
    const { clusters, users } = parse(controlPlane.kubeconfig)
    const decode = (text: string) => Buffer.from(text, 'base64')
    this.#tls = {
      ca: decode(clusters[0].cluster['certificate-authority-data']),
      cert: decode(users[0].user['client-certificate-data']),
      key: decode(users[0].user['client-key-data']),
    }
  }

  static async start(options: ControlPlaneOptions = {}): Promise<TestServer> {
    const controlPlane = await createControlPlane(options)
    const { url } = await controlPlane.listen()
    return new TestServer(controlPlane, url)
  }

  get kubeconfig(): string {
    return this.#controlPlane.kubeconfig
  }

  async ask(method: string, path: string, { body, headers = {}, token }: Sent = {}): Promise<Answer> {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const sending = request(new URL(path, this.#url), {
      method,
      agent: this.#agent,
      ca: this.#tls.ca,
      ...(token === undefined ? { cert: this.#tls.cert, key: this.#tls.key } : {}),
      headers: {
        accept: 'application/json',
        // Node sends the body of a DELETE without its length otherwise.
        ...(text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...headers,
      },
    })
    sending.end(text)
    const [response] = await once(sending, 'response')
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    const received = Buffer.concat(chunks).toString()
    const isJson = String(response.headers['content-type']).startsWith('application/json')
    return {
      status: response.statusCode,
      headers: response.headers,
      text: received,
      body: isJson && received !== '' ? JSON.parse(received) : {},
    }
  }

  create(path: string, body: unknown): Promise<Answer> {
    return this.ask('POST', path, { body })
  }

  patch(path: string, body: unknown, type = 'merge-patch'): Promise<Answer> {
    return this.ask('PATCH', path, { body, headers: { 'content-type': `application/${type}+json` } })
  }

  /** Yields the events of a watch as they come, until the consumer breaks off or the server ends it. */
  async *watch(path: string): AsyncGenerator<WatchEvent> {
    const sending = request(new URL(path, this.#url), { agent: false, ...this.#tls })
    sending.end()
    const [response] = await once(sending, 'response')
    // Breaking off, below, is an error to the stream.
    response.setEncoding('utf8').on('error', () => undefined)
    let rest = ''
    try {
      for await (const chunk of response) {
        const lines = `${rest}${chunk}`.split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) yield JSON.parse(line)
      }
    } finally {
      sending.destroy()
    }
  }

  /** Returns the first events of a watch. */
  async events(path: string, count: number): Promise<WatchEvent[]> {
    const seen: WatchEvent[] = []
    for await (const event of this.watch(path)) {
      seen.push(event)
      if (seen.length === count) break
    }
    return seen
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy()
    await this.#controlPlane.close()
  }
}
