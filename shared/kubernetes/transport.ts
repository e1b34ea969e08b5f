import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { ClusterConnection } from './connection.ts'
import { connectionError } from './errors.ts'
import { keepSession, type Session } from './session.ts'

/** A response larger than this is refused: no page that this client asks for comes near it. */
const MAX_RESPONSE_BYTES = 256 * 1024 * 1024

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query, relative to the server's URL. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
  /** Words for errors: verb and object. */
  readonly action: string
}

export interface TransportResponse {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** Requests to one API server over keep-alive TLS connections. */
export interface Transport {
  /** @throws ConnectionError when no whole answer came */
  send(request: TransportRequest, timeoutMs: number): Promise<TransportResponse>
  /** The response as it comes; the caller reads or destroys it. @throws ConnectionError when no headers came in time */
  open(request: TransportRequest, timeoutMs: number): Promise<IncomingMessage>
  /** Leaves idle connections, as one that should have spoken was silent; the next calls open new ones. */
  dropIdle(): void
  close(): void
}

export function createTransport(connection: ClusterConnection): Transport {
  const sessions = keepSession(connection)

  /** One more try with fresh credentials after a 401. */
  async function open(request: TransportRequest, timeoutMs: number): Promise<IncomingMessage> {
    const session = await sessions.open()
    const response = await exchange(session, request, timeoutMs)
    if (response.statusCode !== 401) return response
    response.resume()
    sessions.refuse(session)
    return exchange(await sessions.open(), request, timeoutMs)
  }

  async function exchange(
    current: Session,
    request: TransportRequest,
    timeoutMs: number,
  ): Promise<IncomingMessage> {
    try {
      return await exchangeOnce(current, request, timeoutMs)
    } catch (cause) {
      // A server may close an idle connection just as it is used again; that one request never reached it whole.
      if (cause instanceof StaleSocketError)
        return await exchangeOnce(current, request, timeoutMs).catch(fail)
      return fail(cause)
    }
    function fail(cause: unknown): never {
      if (isTimeout(cause)) sessions.dropIdle()
      throw request.signal?.aborted
        ? request.signal.reason
        : connectionError(request.action, current.server, unwrap(cause))
    }
  }

  return {
    open,
    async send(request, timeoutMs) {
      const deadline = AbortSignal.timeout(timeoutMs)
      const response = await open(request, timeoutMs)
      try {
        return {
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: await readAll(response, deadline),
        }
      } catch (cause) {
        throw request.signal?.aborted
          ? request.signal.reason
          : connectionError(request.action, connection.server, cause)
      }
    },
    dropIdle: () => sessions.dropIdle(),
    close: () => sessions.close(),
  }
}

class StaleSocketError extends Error {}

const isTimeout = (cause: unknown): boolean => (cause as NodeJS.ErrnoException).code === 'ETIMEDOUT'

const unwrap = (cause: unknown): unknown => (cause instanceof StaleSocketError ? cause.cause : cause)

function exchangeOnce(
  session: Session,
  request: TransportRequest,
  timeoutMs: number,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const body = request.body === undefined ? undefined : Buffer.from(request.body)
    const outgoing = httpsRequest({
      ...session.base,
      agent: session.agent,
      method: request.method,
      path: session.prefix + request.path,
      signal: request.signal,
      headers: {
        ...session.base.headers,
        accept: 'application/json',
        'user-agent': 'sliceflow',
        ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
        ...request.headers,
      } as Record<string, string | number>,
    })
    const timer = setTimeout(() => {
      outgoing.destroy(
        Object.assign(new Error(`no answer within ${timeoutMs / 1000} s`), { code: 'ETIMEDOUT' }),
      )
    }, timeoutMs)
    outgoing.on('response', (response) => {
      clearTimeout(timer)
      resolve(response)
    })
    outgoing.on('error', (cause: NodeJS.ErrnoException) => {
      clearTimeout(timer)
      const stale = outgoing.reusedSocket && cause.code === 'ECONNRESET'
      reject(stale ? new StaleSocketError('idle connection was closed', { cause }) : cause)
    })
    outgoing.end(body)
  })
}

async function readAll(response: IncomingMessage, deadline: AbortSignal): Promise<string> {
  const abort = (): void => {
    response.destroy(Object.assign(new Error('the answer did not end in time'), { code: 'ETIMEDOUT' }))
  }
  deadline.addEventListener('abort', abort, { once: true })
  try {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_RESPONSE_BYTES) {
        throw Object.assign(new Error(`the answer is larger than ${MAX_RESPONSE_BYTES} bytes`), {
          code: 'ETOOLARGE',
        })
      }
      chunks.push(chunk)
    }
    return Buffer.concat(chunks, size).toString('utf8')
  } finally {
    deadline.removeEventListener('abort', abort)
  }
}
