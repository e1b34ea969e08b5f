import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { finished } from 'node:stream/promises'
import type { ClusterConnection } from '../connection.ts'
import { ConnectionError, connectionError } from '../errors/errors.ts'
import { keepSession, lateCredentials, type Session } from './session.ts'
import { within } from './within.ts'

/** A response larger than this, once inflated, is refused: no object comes near it. */
const MAX_RESPONSE_BYTES = 256 * 1024 * 1024
const MAX_BEGIN_CHARACTERS = 65_536

/** Error codes of an answer that is too large as sent, and of one that is too large once inflated. */
const TOO_LARGE = 'ETOOLARGE'
const INFLATED_TOO_LARGE = 'ERR_BUFFER_TOO_LARGE'

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query, relative to the server's URL. */
  readonly path: string
  /** Media types that are wanted. Default `application/json`. */
  readonly accept?: string
  readonly body?: string
  /** Type of the body. Default `application/json`. */
  readonly contentType?: string
  readonly signal?: AbortSignal
  /** The answer is refused when it is larger, as sent or once inflated. Default 256 MB. */
  readonly maxBytes?: number | undefined
  /** Words for errors: verb and object. */
  readonly action: string
}

interface TransportResponse {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

interface OutgoingRequest extends TransportRequest {
  /** Whether its answer may be compressed: API servers do that from 128 kB on. Not of streams. */
  readonly isCompressible: boolean
  readonly timeoutMs: number
  /** By `performance.now`; it includes credentials and a second attempt. */
  readonly deadline: number
}

/** Makes what the caller gets of a response, within the time of the call. */
type Take<T> = (response: IncomingMessage) => T | Promise<T>

/** Sends requests to one API server over keep-alive TLS connections. */
export function createTransport(connection: ClusterConnection) {
  const sessions = keepSession(connection)

  /** Exchanges a request for an answer, with one more try with fresh credentials after a 401. */
  async function exchange<T extends object>(
    sent: Omit<OutgoingRequest, 'deadline'>,
    take: Take<T>,
  ): Promise<T> {
    const request = { ...sent, deadline: performance.now() + sent.timeoutMs }
    const session = sessions.current() ?? (await openSession(request))
    const answer = await attempt(session, request, async (response) => {
      if (response.statusCode !== 401) return take(response)
      // Before its end, which may not come in the time of this call.
      sessions.refuse(session)
      // Its connection serves the second try.
      await finished(response.resume())
      return undefined
    })
    if (answer !== undefined) return answer
    const fresh = await openSession(request)
    if (fresh.server.href === session.server.href) return attempt(fresh, request, take)
    // It may be another cluster, which is not to get what was meant for this one.
    throw new ConnectionError(
      `failed to ${request.action}: the credentials of cluster ${connection.name} tell another address by now`,
      'EMOVED',
    )
  }

  /** Opens a session. If this call times out, loading the credentials continues for later calls. */
  function openSession({ timeoutMs, deadline, signal }: OutgoingRequest): Promise<Session> {
    const ms = Math.max(0, deadline - performance.now())
    return within(sessions.open(), {
      ms,
      signal,
      late: () => lateCredentials(connection.name, Math.ceil(timeoutMs / 1000)),
    })
  }

  async function attempt<T>(session: Session, request: OutgoingRequest, take: Take<T>): Promise<T> {
    try {
      return await exchangeOnce(session, request, take)
    } catch (cause) {
      if (!(cause instanceof StaleSocketError) || sessions.isClosed()) return fail(cause)
      // A server may close idle connections just as they are used again, or while a function is frozen. That
      // one request never reached it whole. The others have been idle for longer.
      sessions.dropIdle()
      return await exchangeOnce(session, request, take).catch(fail)
    }
    function fail(cause: unknown): never {
      if (isTimeout(cause)) sessions.dropIdle()
      if (request.signal?.aborted) throw request.signal.reason
      const error = connectionError(request.action, session, unwrap(cause))
      if (!isTooLarge(error)) sessions.unanswered(session, error)
      throw error
    }
  }

  return {
    /**
     * @throws ConnectionError when no whole answer came in time, or a larger one than the request allows
     *   ({@link isTooLarge})
     */
    send: (request: TransportRequest, timeoutMs: number): Promise<TransportResponse> =>
      exchange({ ...request, isCompressible: true, timeoutMs }, (response) =>
        readWhole(response, request.maxBytes),
      ),
    /**
     * Opens a request and returns what `take` makes of the response, in the time of the call, such as the
     * response as it comes, which the caller reads or destroys.
     * @throws ConnectionError when that did not come in time
     */
    open: <T extends object>(request: TransportRequest, timeoutMs: number, take: Take<T>): Promise<T> =>
      exchange({ ...request, isCompressible: false, timeoutMs }, take),
    address: sessions.address,
    dropIdle: sessions.dropIdle,
    close: sessions.close,
  }
}

/** Reports whether the answer was larger than the request allowed. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof ConnectionError && (error.code === TOO_LARGE || error.code === INFLATED_TOO_LARGE)

/** Reports whether a request failed as its server had closed the connection, which was kept, meanwhile. */
export const isStaleSocket = ({ reusedSocket }: ClientRequest, { code }: NodeJS.ErrnoException): boolean =>
  reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')

class StaleSocketError extends Error {}

const isTimeout = (cause: unknown): boolean => (cause as NodeJS.ErrnoException).code === 'ETIMEDOUT'

const unwrap = (cause: unknown): unknown => (cause instanceof StaleSocketError ? cause.cause : cause)

function exchangeOnce<T>(session: Session, request: OutgoingRequest, take: Take<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const leftMs = request.deadline - performance.now()
    if (leftMs <= 0) throw timeoutError(request)
    request.signal?.throwIfAborted()
    let response: IncomingMessage | undefined
    const outgoing = httpsRequest({
      ...session.base,
      method: request.method,
      path: session.prefix + request.path,
      signal: request.signal,
      headers: [...session.headers, ...headersOf(request, session)],
    })
    const timer = setTimeout(() => (response ?? outgoing).destroy(timeoutError(request)), leftMs)
    outgoing.on('response', async (incoming) => {
      response = incoming
      try {
        resolve(await take(incoming))
      } catch (cause) {
        reject(cause)
      } finally {
        clearTimeout(timer)
      }
    })
    outgoing.on('error', (cause: NodeJS.ErrnoException) => {
      clearTimeout(timer)
      const stale = response === undefined && isStaleSocket(outgoing, cause)
      reject(stale ? new StaleSocketError('idle connection was closed', { cause }) : cause)
    })
    outgoing.end(request.body)
  })
}

const timeoutError = ({ timeoutMs }: OutgoingRequest): Error =>
  Object.assign(new Error(`no whole answer within ${timeoutMs / 1000} s`), { code: 'ETIMEDOUT' })

/** Names and values in turn: Node writes them out as they are. */
function headersOf(
  { accept = 'application/json', isCompressible, body, contentType = 'application/json' }: OutgoingRequest,
  { acceptEncoding }: Session,
): string[] {
  const headers = ['accept', accept, 'accept-encoding', isCompressible ? acceptEncoding : 'identity']
  if (body !== undefined)
    headers.push('content-type', contentType, 'content-length', String(Buffer.byteLength(body)))
  return headers
}

async function readWhole(
  response: IncomingMessage,
  maxBytes = MAX_RESPONSE_BYTES,
): Promise<TransportResponse> {
  const { statusCode: status = 0, headers } = response
  const bytes = await readBytes(response, maxBytes)
  const text = headers['content-encoding'] === 'gzip' ? await inflate(bytes, maxBytes) : bytes
  return { status, headers, text: text.toString('utf8') }
}

async function inflate(bytes: Buffer, maxOutputLength: number): Promise<Buffer> {
  // Loaded here only: it is a twentieth of a function's start, and most answers are short.
  const { gunzipSync } = await import('node:zlib')
  return gunzipSync(bytes, { maxOutputLength })
}

/** Reads the begin of an answer, whose whole is no longer than that where an API server gives it. */
export async function beginOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response) {
    text += chunk
    if (text.length > MAX_BEGIN_CHARACTERS) break
  }
  return text
}

function readBytes(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) chunks.push(chunk)
      else {
        const cause = new Error(`the answer is larger than ${maxBytes} bytes`)
        response.destroy(Object.assign(cause, { code: TOO_LARGE }))
      }
    })
    response.on('end', () => resolve(Buffer.concat(chunks, size)))
    response.on('error', reject)
  })
}
