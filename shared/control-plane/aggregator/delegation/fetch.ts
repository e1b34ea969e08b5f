import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { DEADLINE_EXCEEDED } from '../../apiserver/outgoing/connection-failure.ts'
import { readText } from '../../apiserver/outgoing/read-text.ts'
import type { Delegate, DelegateRequest } from './delegate.ts'

/** Bytes of an answer that this server reads itself: discovery of a thousand resources has one million. */
const LARGEST = 8 * 1024 * 1024
/** Milliseconds until the whole answer must be there (upstream's `aggregatedDiscoveryTimeout`). */
export const TIMEOUT = 5000

interface FetchRequest extends Omit<DelegateRequest, 'method'> {
  /** Default GET. */
  readonly method?: string
  /** JSON. Default: none. */
  readonly body?: string
}

export interface Fetched {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/**
 * Reads an answer of another server for this server's own use. Rejects with an Error whose text is Go's where
 * it takes longer than five seconds or is larger than 8 MiB, and where there is no connection. Redirects are
 * not followed.
 */
export async function fetchFrom(delegate: Delegate, request: FetchRequest): Promise<Fetched> {
  const response = await respond(delegate, request)
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: await readText(response, LARGEST),
  }
}

/** Resolves with the status of an answer whose body is not read. Rejects as `fetchFrom` does. */
export async function statusFrom(delegate: Delegate, request: FetchRequest): Promise<number> {
  const response = await respond(delegate, request)
  response.destroy()
  return response.statusCode ?? 0
}

function respond(delegate: Delegate, request: FetchRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = delegate.open({ method: 'GET', ...request })
    const timer = setTimeout(() => outgoing.destroy(new Error(DEADLINE_EXCEEDED)), TIMEOUT)
    outgoing.on('error', reject)
    outgoing.on('close', () => {
      clearTimeout(timer)
      reject(new Error('EOF'))
    })
    outgoing.on('response', resolve)
    outgoing.end(request.body)
  })
}
