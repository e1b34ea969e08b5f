import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { User } from '../registry/access.ts'
import type { RequestLifetime } from '../registry/admission/types.ts'
import type { RequestInfo } from './request-info.ts'

/** HTTP/2 requests come as these too: Node's compatibility API has the same members. */
export type Request = IncomingMessage
export type Response = ServerResponse

/** A connection whose client wants to speak another protocol on it. */
export interface Upgrade {
  readonly socket: Duplex
  /** Bytes of that protocol that the client has sent already. */
  readonly head: Buffer
}

/** One request on its way to its answer. */
export interface Exchange {
  readonly request: Request
  readonly response: Response
  readonly info: RequestInfo
  readonly query: URLSearchParams
  readonly user: User
  /** Time for which a client waits for the answer. */
  readonly lifetime: RequestLifetime
  /** Upgrade of a request that asks for another protocol and may have it. */
  readonly upgrade?: Upgrade | undefined
  /** Texts for `Warning` headers, sent with the answer. */
  readonly warnings: string[]
  /** Annotations for the audit log, by qualified name. */
  readonly annotations: Map<string, string>
  /** Resolves when what the response may contain is durable; undefined if it already is. */
  readonly durable: () => Promise<void> | undefined
}

export function header(request: Request, name: string): string {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : (value ?? '')
}
