import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { Duplex } from 'node:stream'
import { isStaleSocket } from '../../../kubernetes/index.ts'
import type { Exchange, Request, Upgrade } from '../../apiserver/http/exchange.ts'
import { sendText, setHeader } from '../../apiserver/http/respond.ts'
import { connectionFailure, DEADLINE_EXCEEDED } from '../../apiserver/outgoing/connection-failure.ts'
import { UnresolvedServiceError } from '../service-address/resolve.ts'
import { authorityOf, type Delegate } from './delegate.ts'
import { TIMEOUT } from './fetch.ts'
import { requestHeaders, responseHeaders } from './forwarded-headers.ts'
import { identityHeaders } from './identity-headers.ts'
import { escapedPath } from './target-path.ts'

/** Milliseconds until the other server must have agreed to another protocol. */
const UPGRADE_TIMEOUT = 30_000
const TEXT = 'text/plain; charset=utf-8'

/** Sends an error of the proxy as upstream does, which is a text and no Status. */
function sendProxyError(exchange: Exchange, code: number, text: string): void {
  setHeader(exchange.response, 'x-content-type-options', 'nosniff')
  sendText(exchange, code, `${text}\n`, TEXT)
}

/**
 * Serves a request by another server, in the name of the user that it is from. Bodies stream both ways, at
 * the pace of the slower side; when one side closes, so does the other. Never throws.
 */
export function forward(exchange: Exchange, delegate: Delegate): void {
  if (!delegate.isAvailable) {
    sendProxyError(exchange, 503, 'service unavailable')
    return
  }
  try {
    delegate.checkUsable()
  } catch (error) {
    sendProxyError(exchange, 500, connectionFailure(error))
    return
  }
  new Forwarding(exchange, delegate).begin()
}

class Forwarding {
  readonly #exchange: Exchange
  readonly #delegate: Delegate
  #isAnswered = false
  #isRetry = false
  /** Request of the last attempt. Earlier ones no longer matter. */
  #outgoing: ClientRequest | undefined

  constructor(exchange: Exchange, delegate: Delegate) {
    this.#exchange = exchange
    this.#delegate = delegate
  }

  begin(): void {
    const outgoing = this.#open()
    this.#outgoing = outgoing
    if (!outgoing) return
    const { request, response } = this.#exchange
    const timer = this.#limitTime(outgoing)
    outgoing.on('response', (incoming) => {
      clearTimeout(timer)
      this.#answer(incoming)
    })
    outgoing.on('upgrade', (incoming, socket, head) => {
      clearTimeout(timer)
      this.#tunnel(incoming, { socket, head })
    })
    outgoing.on('error', (error) => this.#fail(outgoing, error))
    outgoing.on('close', () => {
      clearTimeout(timer)
      this.#fail(outgoing, new Error('EOF'))
    })
    response.once('close', () => {
      outgoing.destroy()
      // Drains the rest of an unread body: else the client's next request would wait behind it.
      request.unpipe(outgoing)
      request.resume()
    })
    if (hasBody(request) && !this.#exchange.upgrade) request.pipe(outgoing)
    else outgoing.end()
  }

  /** Limits the time of a request that is not long-running. Others have this server's own limit. */
  #limitTime(outgoing: ClientRequest): NodeJS.Timeout | undefined {
    const { info, upgrade } = this.#exchange
    const limit = upgrade ? UPGRADE_TIMEOUT : TIMEOUT
    if (info.resourceRequest && !upgrade) return undefined
    return setTimeout(() => outgoing.destroy(new Error(DEADLINE_EXCEEDED)), limit)
  }

  #open(): ClientRequest | undefined {
    const { request, query, info, upgrade } = this.#exchange
    try {
      const address = this.#delegate.address
      const path = escapedPath(info.path)
      const text = query.toString()
      return this.#delegate.open({
        method: request.method ?? 'GET',
        path: text === '' ? path : `${path}?${text}`,
        headers: this.#headers(authorityOf(address), path),
        address,
        // What was left over of a protocol that was refused would be read as the next user's request.
        alone: upgrade !== undefined || this.#isRetry,
      })
    } catch (error) {
      const text = error instanceof UnresolvedServiceError ? 'service unavailable' : connectionFailure(error)
      sendProxyError(this.#exchange, 503, text)
      return undefined
    }
  }

  #headers(authority: string, path: string): OutgoingHttpHeaders {
    const { request, response, user, upgrade } = this.#exchange
    const { 'x-forwarded-for': before, ...sent } = requestHeaders(request)
    // Of a request for another protocol no body is read, so none is announced.
    const { 'content-length': length, ...others } = sent
    const headers = upgrade || length === undefined ? others : sent
    const isChunked = !upgrade && length === undefined && hasBody(request)
    const sender = request.socket?.remoteAddress
    const way = [...(before === undefined ? [] : [before].flat()), ...(sender ? [sender] : [])]
    return {
      ...headers,
      ...(isChunked ? { 'transfer-encoding': 'chunked' } : {}),
      ...(upgrade ? { connection: 'Upgrade', upgrade: request.headers.upgrade } : {}),
      'audit-id': String(response.getHeader('audit-id')),
      ...(way.length > 0 ? { 'x-forwarded-for': way.join(', ') } : {}),
      'x-forwarded-host': authority,
      'x-forwarded-proto': 'https',
      'x-forwarded-uri': path,
      ...identityHeaders(user),
    }
  }

  #answer(incoming: IncomingMessage): void {
    const { response, upgrade } = this.#exchange
    const status = incoming.statusCode ?? 0
    if (upgrade && status < 400) {
      this.#refuse(incoming, 503, `invalid upgrade response: status code ${status}`)
      return
    }
    const isRedirect = status >= 300 && status < 400 && incoming.headers.location !== undefined
    if (isRedirect) {
      const text = 'the backend attempted to redirect this request, which is not permitted'
      this.#refuse(incoming, 502, text)
      return
    }
    if (response.destroyed || response.headersSent) {
      incoming.destroy()
      return
    }
    try {
      for (const [name, value] of Object.entries(responseHeaders(incoming))) {
        if (value !== undefined) response.setHeader(name, value)
      }
      response.writeHead(status)
      // A watch may have nothing to say for long: its client is to know that it has begun.
      response.flushHeaders()
    } catch (error) {
      this.#refuse(
        incoming,
        502,
        `the backend answered what cannot be passed on: ${connectionFailure(error)}`,
      )
      return
    }
    this.#isAnswered = true
    // It breaks off: the client must not take what it has for the whole.
    incoming.on('error', () => response.destroy())
    incoming.pipe(response)
  }

  /** Carries both directions of a connection, whose ends now speak the protocol that they have agreed on. */
  #tunnel(incoming: IncomingMessage, backend: Upgrade): void {
    const { response, upgrade } = this.#exchange
    if (!upgrade || upgrade.socket.destroyed) {
      // It was not asked for, or the client has gone.
      backend.socket.destroy()
      return
    }
    this.#isAnswered = true
    response.statusCode = 101
    upgrade.socket.write(upgradeAnswer(incoming))
    upgrade.socket.write(backend.head)
    backend.socket.write(upgrade.head)
    join(upgrade.socket, backend.socket)
    join(backend.socket, upgrade.socket)
  }

  #refuse(incoming: IncomingMessage, code: number, text: string): void {
    this.#isAnswered = true
    incoming.destroy()
    const { response } = this.#exchange
    for (const name of response.getHeaderNames()) {
      if (name !== 'audit-id' && name !== 'cache-control') response.removeHeader(name)
    }
    if (!response.headersSent) sendText(this.#exchange, code, text, TEXT)
    else response.destroy()
  }

  /**
   * Reports whether a request may be sent once more. The other server may have closed a connection that was
   * kept; then reads are repeated, as Go's client does.
   */
  #mayRetry(outgoing: ClientRequest, error: NodeJS.ErrnoException): boolean {
    const { request, response } = this.#exchange
    const isRead = (request.method === 'GET' || request.method === 'HEAD') && !hasBody(request)
    return isStaleSocket(outgoing, error) && isRead && !this.#isRetry && !response.destroyed
  }

  #fail(outgoing: ClientRequest, error: Error): void {
    if (this.#isAnswered || outgoing !== this.#outgoing) return
    if (this.#mayRetry(outgoing, error)) {
      this.#isRetry = true
      this.begin()
      return
    }
    this.#isAnswered = true
    const { request, response } = this.#exchange
    request.unpipe(outgoing)
    request.resume()
    if (response.destroyed || response.headersSent) return
    sendProxyError(this.#exchange, 503, `error trying to reach service: ${connectionFailure(error)}`)
  }
}

function join(from: Duplex, to: Duplex): void {
  from.pipe(to)
  from.on('error', () => to.destroy())
  from.on('close', () => to.destroy())
}

/** Writes the answer as the other server worded it: the protocol may depend on the names of headers. */
function upgradeAnswer({ rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1] ?? ''}\r\n`] : [],
  )
  return `HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`
}

/** Reports whether a request has a body; one without a length is chunked in HTTP/1, the rest in HTTP/2. */
function hasBody(request: Request): boolean {
  // The type says HTTP/1, as it does everywhere: only these requests have a stream.
  const { stream } = request as unknown as Partial<Http2ServerRequest>
  if (stream) return !stream.endAfterHeaders
  const length = request.headers['content-length']
  return (length !== undefined && length !== '0') || request.headers['transfer-encoding'] !== undefined
}
