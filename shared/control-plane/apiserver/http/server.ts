import { once } from 'node:events'
import type { Http2ServerRequest } from 'node:http2'
import { createSecureServer, type Http2SecureServer } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { KeyPair } from '../../auth/security/certificates.ts'
import type { ApiHandler } from './api-handler.ts'
import type { Request, Response } from './exchange.ts'

/** Many watches share one connection: HTTP/2's usual limit of streams would be too low. */
const STREAMS = 1000

/** Time limit of a handshake in milliseconds: a slower client would hold a connection for nothing. */
const HANDSHAKE_TIMEOUT = 10_000
const HEADERS_TIMEOUT = 30_000
const REQUEST_TIMEOUT = 70_000
/** kube-apiserver's. After Node's 5 s a busy client would often send on a connection that just closes. */
const IDLE_TIMEOUT = 90_000

export interface ApiServerOptions {
  readonly handler: ApiHandler
  readonly certificate: KeyPair
  /** PEM of the authorities whose client certificates count, those of front proxies too. */
  readonly clientAuthorities: readonly string[]
}

/** HTTPS, HTTP/2 and HTTP/1.1 on one port. */
export class ApiServer {
  readonly #server: Http2SecureServer
  readonly #sockets = new Set<Socket>()
  /** Ends of the responses that are under way. */
  readonly #responses = new Set<Promise<void>>()

  constructor({ handler, certificate, clientAuthorities }: ApiServerOptions) {
    this.#server = createSecureServer({
      allowHTTP1: true,
      cert: certificate.certificate,
      key: certificate.key,
      ca: [...clientAuthorities],
      requestCert: true,
      rejectUnauthorized: false,
      settings: { maxConcurrentStreams: STREAMS },
      handshakeTimeout: HANDSHAKE_TIMEOUT,
    })
    // Of HTTP/1, where the server has them though its type does not say so; for HTTP/2 the handler's own
    // limit does it.
    Object.assign(this.#server, {
      headersTimeout: HEADERS_TIMEOUT,
      requestTimeout: REQUEST_TIMEOUT,
      keepAliveTimeout: IDLE_TIMEOUT,
      shouldUpgradeCallback: (request: Request) => handler.mayUpgrade(request),
    })
    // A connection that does not speak TLS, or breaks off, is no failure of this server.
    this.#server.on('tlsClientError', () => undefined)
    this.#server.on('request', (request, response) => {
      const socket = socketOf(request)
      // Both kinds of requests and responses have the members that are used; their types do not say so.
      const answer = response as unknown as Response
      this.#follow(answer)
      void handler.handle(request as unknown as Request, answer, socket)
    })
    this.#server.on('upgrade', (request: Request, socket: Socket, head: Buffer) => {
      // An import would evaluate all that node:http exports, undici with it, at every start.
      const { ServerResponse } = process.getBuiltinModule('node:http')
      const response = new ServerResponse(request)
      response.shouldKeepAlive = false
      response.assignSocket(socket)
      this.#follow(response)
      response.on('finish', () => socket.end())
      // The response's own event reports its end.
      socket.on('error', () => undefined)
      void handler.handle(request, response, socket as TLSSocket, { socket, head })
    })
    this.#server.on('connection', (socket: Socket) => this.#keep(socket))
  }

  /** Resolves with the port. */
  async listen(host: string, port: number): Promise<number> {
    this.#server.listen(port, host)
    await once(this.#server, 'listening')
    const address = this.#server.address() as AddressInfo
    return address.port
  }

  /** Resolves once each response has ended, of those that it cuts off as well: it is audited then. */
  async close(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
    await Promise.all(this.#responses)
  }

  #follow(response: Response): void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#responses.add(promise)
    response.once('close', () => {
      this.#responses.delete(promise)
      resolve()
    })
  }

  #keep(socket: Socket): void {
    // Node's own servers do so by default: else the second part of an answer waits for an acknowledgement of
    // the first, some 40 ms.
    socket.setNoDelay(true)
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
  }
}

function socketOf(request: Http2ServerRequest): TLSSocket {
  return (request.stream?.session?.socket ?? request.socket) as TLSSocket
}
