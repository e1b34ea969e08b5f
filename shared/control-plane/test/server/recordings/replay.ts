import type { IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import { createInterface } from 'node:readline'
import { gunzipSync } from 'node:zlib'
import type { Json } from '../../../../../test/support/raw-client.ts'
import type { TestServer } from '../../../testing/test-client.ts'
import type { RecordedRequest, RecordedStep } from './recording.ts'

export interface Answer {
  readonly status: number
  readonly body: Json
}

/** Maximum time for a watch to deliver the recorded number of events. */
const PATIENCE = 10_000

/** Makes the requests of a recording one after the other; the answers to those that have names. */
export async function replay(
  steps: readonly RecordedStep[],
  scene: TestServer,
): Promise<ReadonlyMap<string, Answer>> {
  const answers = new Map<number, Json>()
  const named = new Map<string, Answer>()
  const watches = new Map<number, { readonly watch: OpenWatch; readonly step: RecordedRequest }>()
  const keep = (step: RecordedRequest, answer: Answer): void => {
    answers.set(step.id, answer.body)
    if (step.name !== undefined) named.set(step.name, answer)
  }
  const agent = new Agent({ keepAlive: true })
  for (const step of steps) {
    if ('end' in step) {
      const open = watches.get(step.end)
      if (open) keep(open.step, await open.watch.finish(eventsOf(open.step)))
      continue
    }
    const filled = fillIn(step, answers)
    if (step.stream) watches.set(step.id, { step, watch: await OpenWatch.open(filled, scene) })
    else keep(step, await ask(filled, scene, agent))
  }
  agent.destroy()
  return named
}

function eventsOf({ want }: RecordedRequest): number {
  return Array.isArray(want?.body) ? want.body.length : 0
}

/** Puts in what earlier answers have said. */
function fillIn(step: RecordedRequest, answers: ReadonlyMap<number, Json>): RecordedRequest {
  const { want, ...request } = step
  const text = JSON.stringify(request)
  if (!text.includes('{{')) return step
  const filled = text.replaceAll(/\{\{(\d+):([\w.]+)(?:\+(\d+))?\}\}/g, (_, id, path, more) => {
    const value = path
      .split('.')
      .reduce((parent: Json, member: string) => parent?.[member], answers.get(Number(id)))
    return more === undefined ? encodeURIComponent(value) : String(Number(value) + Number(more))
  })
  return { ...JSON.parse(filled), want }
}

async function ask(step: RecordedRequest, scene: TestServer, agent: Agent): Promise<Answer> {
  const response = await send(step, scene, agent)
  const chunks = await response.toArray()
  const bytes = Buffer.concat(chunks)
  const text = (response.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8')
  return { status: response.statusCode ?? 0, body: jsonOr(text) }
}

class OpenWatch {
  readonly #response: IncomingMessage
  readonly #lines: string[] = []
  readonly #ended: Promise<void>
  #reported = Promise.withResolvers<void>()

  constructor(response: IncomingMessage) {
    this.#response = response
    this.#ended = this.#read()
  }

  static async open(step: RecordedRequest, scene: TestServer): Promise<OpenWatch> {
    return new OpenWatch(await send(step, scene, false))
  }

  /** Waits for so many lines, or for the server's end, and closes. */
  async finish(count: number): Promise<Answer> {
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(() => late.resolve(), PATIENCE)
    const over = Promise.race([late.promise, this.#ended]).then(() => true)
    while (
      this.#lines.length < count &&
      !(await Promise.race([over, this.#reported.promise.then(() => false)]))
    ) {
      this.#reported = Promise.withResolvers<void>()
    }
    clearTimeout(timer)
    this.#response.destroy()
    return { status: this.#response.statusCode ?? 0, body: this.#lines.map(jsonOr) }
  }

  async #read(): Promise<void> {
    const lines = createInterface({ input: this.#response })
    try {
      for await (const line of lines) {
        if (line !== '') this.#lines.push(line)
        this.#reported.resolve()
      }
    } catch {
      // Closed from this side: nobody waits for more.
    }
  }
}

/** @param agent keeps connections for further requests; `false`: the request has one of its own */
function send(
  step: RecordedRequest,
  { url, adminTls }: TestServer,
  agent: Agent | false,
): Promise<IncomingMessage> {
  const { method = 'GET', path, body, token, as } = step
  const bytes = bytesOf(body)
  const { ca, ...credentials } = adminTls
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        host: url.hostname,
        port: url.port,
        agent,
        ca,
        ...(token === undefined && as !== 'anon' ? credentials : {}),
        method,
        path,
        headers: headersOf(step, bytes),
      },
      resolve,
    )
    request.on('error', reject)
    request.end(bytes)
  })
}

function headersOf(
  { headers = {}, token }: RecordedRequest,
  bytes: Buffer | undefined,
): Record<string, string> {
  const all = {
    accept: 'application/json',
    ...(bytes === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(bytes.length) }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...headers,
  }
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null),
  )
}

function bytesOf(body: Json): Buffer | undefined {
  if (body === undefined) return undefined
  if (typeof body === 'string') return Buffer.from(body)
  if (typeof body?.base64 === 'string') return Buffer.from(body.base64, 'base64')
  return Buffer.from(JSON.stringify(body))
}

function jsonOr(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
