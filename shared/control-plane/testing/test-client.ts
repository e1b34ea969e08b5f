import { createRawClient, type RawClient } from '../../../test/support/raw-client.ts'
import type { JsonObject } from '../apimachinery/json/exact-numbers.ts'
import { type ControlPlane, createControlPlane } from '../control-plane.ts'
import type { AuditEvent, ControlPlaneOptions } from '../index.ts'

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: JsonObject
  readonly text: string
}
interface WatchEvent {
  readonly type: string
  readonly object: JsonObject & { metadata: JsonObject }
}
interface Sent {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** A bearer token instead of the administrator's certificate; empty for no credentials at all. */
  readonly token?: string
}

/** A running control plane and what tests ask it with. */
export class TestServer implements AsyncDisposable {
  readonly #controlPlane: ControlPlane
  readonly url: URL
  /** With the administrator's credentials. */
  readonly client: RawClient
  readonly #others = new Map<string, RawClient>()
  readonly failures: readonly unknown[]
  readonly audit: readonly AuditEvent[]

  private constructor(
    controlPlane: ControlPlane,
    { url, failures, audit }: Pick<TestServer, 'url' | 'failures' | 'audit'>,
  ) {
    this.#controlPlane = controlPlane
    this.url = url
    this.client = createRawClient(controlPlane.kubeconfig)
    this.failures = failures
    this.audit = audit
  }

  static async start(options: ControlPlaneOptions = {}): Promise<TestServer> {
    const failures: unknown[] = []
    const audit: AuditEvent[] = []
    const observer = {
      onError: (error: unknown) => failures.push(error),
      audit: (event: AuditEvent) => audit.push(event),
    }
    const controlPlane = await createControlPlane({ observer, ...options })
    const { url } = await controlPlane.listen()
    return new TestServer(controlPlane, { url: new URL(url), failures, audit })
  }

  get kubeconfig(): string {
    return this.#controlPlane.kubeconfig
  }

  /** PEM of who certifies the server. */
  get ca(): string {
    return this.#pem('certificate-authority-data')
  }

  /** The administrator's connection, for requests that no client makes. */
  get adminTls(): { readonly ca: string; readonly cert: string; readonly key: string } {
    const { ca } = this
    return { ca, cert: this.#pem('client-certificate-data'), key: this.#pem('client-key-data') }
  }

  #pem(member: string): string {
    const [, data = ''] = new RegExp(`${member}: (\\S+)`).exec(this.kubeconfig) ?? []
    return Buffer.from(data, 'base64').toString()
  }

  /** Returns a client with other credentials than the administrator's; `{}` for none. */
  as(headers: Readonly<Record<string, string>>): RawClient {
    const key = JSON.stringify(headers)
    const client = this.#others.get(key) ?? createRawClient(this.kubeconfig, headers)
    this.#others.set(key, client)
    return client
  }

  async ask(method: string, path: string, { token, ...request }: Sent = {}): Promise<Answer> {
    const answer = await this.#clientOf(token).send(method, path, request)
    return { ...answer, body: answer.body ?? {} }
  }

  create(path: string, body: unknown): Promise<Answer> {
    return this.ask('POST', path, { body })
  }

  patch(path: string, body: unknown, type = 'merge-patch'): Promise<Answer> {
    return this.ask('PATCH', path, { body, headers: { 'content-type': `application/${type}+json` } })
  }

  /** Returns the first events of a watch. */
  async events(path: string, count: number): Promise<WatchEvent[]> {
    const watch = await this.client.watch(path)
    const seen: WatchEvent[] = []
    for (let event = await watch.next(); event !== undefined; event = await watch.next()) {
      if (seen.push(event) === count) break
    }
    watch.close()
    return seen
  }

  #clientOf(token: string | undefined): RawClient {
    if (token === undefined) return this.client
    return this.as(token === '' ? {} : { authorization: `Bearer ${token}` })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of [this.client, ...this.#others.values()]) client.close()
    await this.#controlPlane.close()
  }
}
