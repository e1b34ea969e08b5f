import type { User } from '../registry/access.ts'
import { type Exchange, header } from './exchange.ts'
import { isLongRunning, namespaceOf, type RequestInfo } from './request-info.ts'

/** A line of an audit log: audit.k8s.io/v1 at the level `Metadata`, without bodies and credentials. */
export interface AuditEvent {
  readonly kind: 'Event'
  readonly apiVersion: 'audit.k8s.io/v1'
  readonly level: 'Metadata'
  readonly auditID: string
  /** `ResponseStarted` for watches when they begin; `ResponseComplete` for every request when it ends. */
  readonly stage: 'ResponseStarted' | 'ResponseComplete'
  readonly requestURI: string
  readonly verb: string
  readonly user: User
  readonly impersonatedUser?: User
  readonly sourceIPs: readonly string[]
  readonly userAgent?: string
  readonly objectRef?: Readonly<Record<string, string>>
  readonly responseStatus: { readonly metadata: object; readonly code: number }
  /** RFC 3339 with microseconds, as in meta/v1 MicroTime. */
  readonly requestReceivedTimestamp: string
  readonly stageTimestamp: string
  readonly annotations?: Readonly<Record<string, string>>
}

/** Called with every answered request, and with a watch that begins. `onError` gets what it throws. */
export type AuditSink = (event: AuditEvent) => void

/** Follows one request for a sink. The handlers of the request add to it what they find out. */
export class RequestAudit {
  #sender: User
  #impersonated: User | undefined
  #allowed: boolean | undefined
  readonly #exchange: Exchange
  readonly #received = microTime()
  readonly #sink: AuditSink
  readonly #onError: (error: unknown) => void
  // Asked for at the beginning: a stream of HTTP/2 that has ended no longer knows it.
  readonly #address: string | undefined
  #isComplete = false

  constructor(exchange: Exchange, sink: AuditSink, onError: (error: unknown) => void) {
    this.#exchange = exchange
    this.#sink = sink
    this.#onError = onError
    this.#sender = exchange.user
    this.#address = exchange.request.socket?.remoteAddress
    exchange.response.once('finish', () => this.#complete())
    exchange.response.once('close', () => this.#complete())
  }

  /** Notes who has sent the request. */
  from(sender: User): void {
    this.#sender = sender
  }

  /** Notes as whom it is served, if that is another user. */
  as(user: User): void {
    this.#impersonated = user
  }

  /** Notes whether it is allowed. A watch begins then. */
  decided(allowed: boolean): void {
    this.#allowed = allowed
    if (allowed && isLongRunning(this.#exchange.info)) this.#emit('ResponseStarted')
  }

  #complete(): void {
    if (!this.#isComplete) this.#emit('ResponseComplete')
    this.#isComplete = true
  }

  #emit(stage: AuditEvent['stage']): void {
    const { request, response, info } = this.#exchange
    const userAgent = header(request, 'user-agent')
    const annotations = {
      ...(this.#allowed !== undefined && {
        'authorization.k8s.io/decision': this.#allowed ? 'allow' : 'forbid',
      }),
      ...Object.fromEntries(this.#exchange.annotations),
    }
    const event: AuditEvent = {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Metadata',
      auditID: String(response.getHeader('audit-id')),
      stage,
      requestURI: request.url ?? '',
      verb: info.verb,
      user: this.#sender,
      ...(this.#impersonated && { impersonatedUser: this.#impersonated }),
      sourceIPs: this.#address === undefined ? [] : [this.#address],
      ...(userAgent !== '' && { userAgent }),
      ...(info.resourceRequest && { objectRef: objectRefOf(info) }),
      responseStatus: { metadata: {}, code: response.statusCode },
      requestReceivedTimestamp: this.#received,
      stageTimestamp: microTime(),
      ...(Object.keys(annotations).length > 0 && { annotations }),
    }
    // It may be asynchronous, too.
    new Promise<void>((resolve) => resolve(this.#sink(event))).catch(this.#onError)
  }
}

function objectRefOf(info: RequestInfo) {
  const { resource, name, group, version, subresource } = info
  const namespace = namespaceOf(info)
  const all = { resource, namespace, name, apiGroup: group, apiVersion: version, subresource }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
}

const microTime = (): string => new Date().toISOString().replace('Z', '000Z')
