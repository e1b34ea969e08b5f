import type { IncomingMessage, ServerResponse } from 'node:http'
import { Agent, createServer, request as httpsRequest } from 'node:https'
import type { Transform } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { certificateAuthority } from '../../shared/control-plane/index.ts'
import { listenLocally } from './local-server.ts'

/** Fault that a request meets instead of being let through. */
export type Fault =
  /** The server gets the head and this many bytes of the body, and then the end of the connection. */
  | { readonly kind: 'cut-request'; readonly bytes: number }
  /** The server has done its work; its reply never arrives. */
  | { readonly kind: 'cut-before-reply' }
  /**
   * The head of the reply and this many bytes of its body arrive; with a watch, cut as soon as there are that
   * many.
   */
  | { readonly kind: 'cut-reply'; readonly bytes: number }
  /** The server never hears of it. */
  | { readonly kind: 'answer'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly kind: 'delay'; readonly ms: number }
  /**
   * The server is asked this instead; where the reply is made into another one, it is held until it is whole.
   */
  | {
      readonly kind: 'ask-instead'
      readonly url: string
      readonly headers?: Readonly<Record<string, string>>
      readonly answer?: (reply: Reply) => Reply
    }
  /** What the server says goes through this. */
  | { readonly kind: 'through'; readonly stream: Transform }

export interface Reply {
  readonly status: number
  readonly body: string
}

export interface ProxiedRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly isWatch: boolean
  /** Creates, updates, patches and deletes. */
  readonly isWrite: boolean
}

/** An API server's front door that understands requests, and does to them what a test says. */
export interface FaultProxy {
  readonly url: string
  /** PEM text of the authority that signed its certificate. */
  readonly authority: string
  /** Faults so far, by kind. */
  readonly done: ReadonlyMap<Fault['kind'], number>
  /**
   * Sets the function that decides about every request from now on. It returns undefined to let a request
   * through.
   */
  decide(fault: (request: ProxiedRequest) => Fault | undefined): void
  /** Ends every open connection, those of watches among them. */
  cutOpen(): void
  close(): Promise<void>
}

interface FaultProxyOptions {
  readonly server: URL
  /** PEM text of the authority of the server behind. */
  readonly authority: string
  /** Rewrites the path and query of every request, before any fault; default: they stay as they are. */
  readonly route?: (url: string) => string
}

const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

export async function startFaultProxy({
  server: target,
  authority,
  route = (url) => url,
}: FaultProxyOptions): Promise<FaultProxy> {
  const own = await certificateAuthority()
  const { certificate, key } = await own.server(['127.0.0.1'])
  const agent = new Agent({ keepAlive: true, ca: authority })
  const done = new Map<Fault['kind'], number>()
  let choose: (request: ProxiedRequest) => Fault | undefined = () => undefined

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET' } = request
    const url = route(request.url ?? '/')
    const isWatch = new URL(url, target).searchParams.get('watch') === 'true'
    const fault = choose({ method, url, isWatch, isWrite: WRITES.has(method) })
    if (fault !== undefined) done.set(fault.kind, (done.get(fault.kind) ?? 0) + 1)
    if (fault?.kind === 'answer') return answer(request, response, fault)
    if (fault?.kind === 'delay') await sleep(fault.ms)
    await forward(request, response, { url, fault })
  }

  async function forward(
    request: IncomingMessage,
    response: ServerResponse,
    { url, fault }: { readonly url: string; readonly fault: Fault | undefined },
  ): Promise<void> {
    const body = Buffer.concat(await request.toArray())
    const { method } = request
    const instead = fault?.kind === 'ask-instead' ? fault : { url }
    const headers = { ...request.headers, ...('headers' in instead && instead.headers) }
    const onward = httpsRequest(new URL(instead.url, target), { agent, method, headers })
    const cut = (): void => {
      onward.destroy()
      response.destroy()
    }
    onward.on('error', cut)
    response.on('close', () => onward.destroy())
    if (fault?.kind === 'cut-request') {
      onward.write(body.subarray(0, fault.bytes), cut)
      return
    }
    onward.on('response', (reply) => {
      if (fault?.kind === 'cut-before-reply') return cut()
      reply.on('error', cut)
      if (fault?.kind === 'ask-instead' && fault.answer !== undefined)
        return void answerInstead(reply, response, fault.answer).catch(cut)
      response.writeHead(reply.statusCode ?? 502, reply.headers)
      if (fault?.kind === 'cut-reply') return passSome(reply, response, fault.bytes)
      if (fault?.kind !== 'through') return void reply.pipe(response)
      reply.pipe(fault.stream).pipe(response)
      response.on('close', () => fault.stream.destroy())
    })
    onward.end(body)
  }

  const server = createServer({ cert: certificate, key }, (request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  const { port, cut, close } = await listenLocally(server)
  return {
    url: `https://127.0.0.1:${port}`,
    authority: own.certificate,
    done,
    decide(fault) {
      choose = fault
    },
    cutOpen: cut,
    async close() {
      agent.destroy()
      await close()
    },
  }
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers }: Extract<Fault, { kind: 'answer' }>,
): void {
  request.resume()
  const body = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message: 'the test says so',
    code: status,
  }
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

async function answerInstead(
  reply: IncomingMessage,
  response: ServerResponse,
  make: (reply: Reply) => Reply,
): Promise<void> {
  const text = Buffer.concat(await reply.toArray()).toString('utf8')
  const { status, body } = make({ status: reply.statusCode ?? 502, body: text })
  response.writeHead(status, { 'content-type': 'application/json' }).end(body)
}

/** Passes this many bytes on, and then cuts. */
function passSome(reply: IncomingMessage, response: ServerResponse, bytes: number): void {
  let left = bytes
  const cut = (): void => {
    reply.destroy()
    response.destroy()
  }
  reply.on('error', cut)
  reply.on('end', cut)
  reply.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, left)
    left -= part.length
    if (left > 0) response.write(part)
    else response.write(part, cut)
  })
}
