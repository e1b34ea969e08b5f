import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { certificateAuthority } from '../index.ts'

/** Request that an extension server has received. */
export interface ExtensionRequest {
  readonly method: string
  readonly url: string
  /** Every line of every header: names in lower case and values, in turn. */
  readonly lines: readonly string[]
  readonly body: string
  /** Common name of the client's certificate, where the trusted authority has signed it. */
  readonly client: string | undefined
}

/** Answers a request and says so, or leaves it to what answers otherwise. */
type ExtensionHandler = (request: IncomingMessage, response: ServerResponse) => boolean

/** An API server of another group on this machine, as APIServices delegate to. */
export interface ExtensionServer {
  readonly port: number
  /** The authority of its certificate, as `caBundle`: base64 of PEM. */
  readonly caBundle: string
  /** Requests of users, in their order: not those of the aggregator itself. */
  readonly requests: ExtensionRequest[]
  /** Sets the handler that is asked first from here on; undefined: none is. */
  answer(handler: ExtensionHandler | undefined): void
  /** Ends every connection and listens no longer. */
  stop(): Promise<void>
  /** Listens again on the same port. */
  start(): Promise<void>
}

interface ExtensionOptions {
  /** The name that its certificate is for, as `ext.shop.svc`. */
  readonly host: string
  /** PEM of the authority that certifies the aggregator. */
  readonly frontProxyAuthority: string
  readonly group: string
}

/**
 * Starts an extension server that serves `zs` (kind `Z`, namespaced): discovery, OpenAPI v3, and an empty
 * list of them.
 */
export async function startExtensionServer(options: ExtensionOptions): Promise<ExtensionServer> {
  const authority = await certificateAuthority(undefined, 'extension-ca')
  const { certificate, key } = await authority.server([options.host])
  const requests: ExtensionRequest[] = []
  let handler: ExtensionHandler | undefined
  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (handler?.(request, response)) return
    const body = await textOf(request)
    if (!isAggregator(request)) requests.push(seen(request, body))
    answerByDefault(options.group, request, response)
  }
  const tls = {
    cert: certificate,
    key,
    ca: options.frontProxyAuthority,
    requestCert: true,
    rejectUnauthorized: false,
  }
  const open = async (port: number): Promise<Server> => {
    const server = createServer(
      tls,
      (request, response) => void listener(request, response).catch((error) => response.destroy(error)),
    )
    server.on('upgrade', (request, socket) => speakEcho(request, socket))
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    return server
  }
  let server = await open(0)
  const { port } = server.address() as AddressInfo
  return {
    port,
    caBundle: Buffer.from(authority.certificate).toString('base64'),
    requests,
    answer: (next) => {
      handler = next
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
    start: async () => {
      server = await open(port)
    },
  }
}

/**
 * Speaks the protocol `echo`: says who asked, then repeats every line. `kept` is refused over a connection
 * that stays open, and answered with what comes over it later.
 */
function speakEcho(request: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => socket.destroy())
  if (request.headers.upgrade === 'kept') {
    const length = request.headers['content-length'] ?? 'none'
    const answer = (text: string): string =>
      `HTTP/1.1 404 Not Found\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
    socket.write(answer(`length ${length}`))
    socket.on('data', (data: Buffer) => socket.write(answer(`came later: ${data}`)))
    return
  }
  if (request.headers.upgrade !== 'echo') {
    socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 4\r\n\r\nno!\n')
    return
  }
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\nX-Own: yes\r\n\r\n',
  )
  socket.write(`${request.headers['x-remote-user']}\n`)
  socket.pipe(socket)
}

/** Users that ask by themselves at any time: for discovery, whether the server is there, and for OpenAPI. */
const AGGREGATORS: ReadonlySet<unknown> = new Set(['system:kube-aggregator', 'system:aggregator'])

export function isAggregator(request: IncomingMessage): boolean {
  return AGGREGATORS.has(request.headers['x-remote-user'])
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

function answerByDefault(group: string, { url = '' }: IncomingMessage, response: ServerResponse): void {
  const root = `/apis/${group}/v1`
  const path = url.split('?', 1)[0] ?? ''
  const documents: Record<string, unknown> = {
    [root]: {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: `${group}/v1`,
      resources: [
        {
          name: 'zs',
          singularName: 'z',
          namespaced: true,
          kind: 'Z',
          verbs: ['get', 'list', 'create', 'delete', 'deletecollection', 'watch'],
          shortNames: ['zz'],
        },
        { name: 'zs/status', singularName: '', namespaced: true, kind: 'Z', verbs: ['get', 'update'] },
      ],
    },
    '/openapi/v3': {
      paths: { [root.slice(1)]: { serverRelativeURL: `/openapi/v3${root}?hash=ABC` } },
    },
    [`/openapi/v3${root}`]: { openapi: '3.0.0', info: { title: 'Z', version: 'v1' }, paths: {} },
    '/openapi/v2': documentV2(root),
  }
  if (Object.hasOwn(documents, path)) sendJson(response, documents[path])
  else if (/\/zs$/.test(path)) {
    sendJson(response, {
      kind: 'ZList',
      apiVersion: `${group}/v1`,
      metadata: { resourceVersion: '1' },
      items: [],
    })
  } else
    sendJson(
      response,
      { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason: 'NotFound', code: 404 },
      404,
    )
}

/**
 * Makes an OpenAPI document with a definition whose name kube-apiserver uses for another one, and with a path
 * outside of its group-version.
 */
function documentV2(root: string) {
  const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions'
  const reference = (name: string) => ({ $ref: `#/definitions/${name}` })
  const get = {
    description: 'read Z',
    operationId: 'readZ',
    responses: { 200: { description: 'OK', schema: reference('com.example.Z') } },
  }
  return {
    swagger: '2.0',
    info: { title: 'Z', version: 'v1' },
    paths: {
      [`${root}/zs`]: { get },
      '/api/v1/theirs': { get: { responses: { 200: { schema: reference('com.example.Theirs') } } } },
    },
    definitions: {
      'com.example.Z': { type: 'object', properties: { meta: reference(meta) } },
      'com.example.Unused': { type: 'object' },
      'com.example.Theirs': { type: 'object', properties: { z: reference('com.example.Z') } },
      [meta]: { type: 'object', properties: { theirs: { type: 'string' } } },
    },
  }
}

function seen(request: IncomingMessage, body: string): ExtensionRequest {
  const socket = request.socket as TLSSocket
  const name = socket.authorized ? socket.getPeerCertificate().subject?.CN : undefined
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    lines: request.rawHeaders.map((item, index) => (index % 2 === 0 ? item.toLowerCase() : item)),
    body,
    client: Array.isArray(name) ? name[0] : name,
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
