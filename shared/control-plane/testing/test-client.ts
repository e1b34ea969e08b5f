import { createRawClient, type RawClient } from '../../../test/support/raw-client.ts'
import type { JsonObject } from '../apimachinery/json/index.ts'
import { type ControlPlane, createControlPlane } from '../control-plane.ts'
import type { ControlPlaneOptions } from '../options.ts'

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
  /** With the administrator's credentials. */
  readonly client: RawClient
  readonly #others = new Map<string, RawClient>()

  private constructor(controlPlane: ControlPlane) {
    this.#controlPlane = controlPlane
    this.client = createRawClient(controlPlane.kubeconfig)
  }

  static async start(options: ControlPlaneOptions = {}): Promise<TestServer> {
    const controlPlane = await createControlPlane(options)
    await controlPlane.listen()
    return new TestServer(controlPlane)
  }

  get kubeconfig(): string {
    return this.#controlPlane.kubeconfig
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
    const client =
      this.#others.get(token) ??
      createRawClient(this.kubeconfig, token === '' ? {} : { authorization: `Bearer ${token}` })
    this.#others.set(token, client)
    return client
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of [this.client, ...this.#others.values()]) client.close()
    await this.#controlPlane.close()
  }
}
