import { randomUUID } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import { internal, requestTimeout } from '../../apimachinery/errors/factories.ts'
import { messageOf } from '../../apimachinery/errors/message.ts'
import { ApiError } from '../../apimachinery/errors/status.ts'
import { ANONYMOUS, type Authenticator } from '../../auth/security/authentication.ts'
import { refusal } from '../../auth/security/authorization.ts'
import type { OpenApiSource } from '../openapi/open-api.ts'
import { decide, type RequestAttributes } from '../registry/access.ts'
import { type AuditSink, RequestAudit } from './audit.ts'
import { ClientGoneError } from './body/read-body.ts'
import type { DelegatedApis } from './discovery/delegated-apis.ts'
import { Discovery } from './discovery/discovery.ts'
import { type Exchange, header, type Request, type Response, type Upgrade } from './exchange.ts'
import { impersonatedUser } from './impersonation.ts'
import { InFlight, type RequestLimits } from './in-flight.ts'
import { Lifetime } from './lifetime.ts'
import { RequestMetrics } from './metrics/request-metrics.ts'
import { isLongRunning, namespaceOf, requestInfo } from './request-info.ts'
import { type HandlerServices, ResourceHandler } from './resource/resource-handler.ts'
import { sendError, sendPageNotFound, setHeader } from './respond.ts'
import { Health } from './root/health.ts'
import type { TokenIssuer } from './root/open-id.ts'
import { RootHandler } from './root/root-handler.ts'
import { timeLimitOf } from './time-limit.ts'

/** Flow schema and priority level, by their uids: not every user may read their names. */
interface FlowClass {
  readonly flowSchemaUid: string
  readonly priorityLevelUid: string
}

/** State of the storage that answers depend on. */
interface StorageState {
  /** False once the storage cannot be written to: the server is not well then. */
  readonly isWell: () => boolean
  /** Resolves when all that was written is durable; undefined where it is already. */
  readonly durable: () => Promise<void> | undefined
}

interface RequestObserver {
  /** Called with every request. */
  readonly audit: AuditSink | undefined
  /** Called with failures that are the server's own fault. */
  readonly onError: (error: unknown) => void
}

interface ApiHandlerOptions {
  readonly services: HandlerServices
  readonly authenticator: Authenticator
  readonly tokenIssuer: TokenIssuer
  /** APIs that other servers serve beside this one. */
  readonly delegated?: DelegatedApis | undefined
  readonly storage: StorageState
  readonly limits: RequestLimits
  /** The flow schema of a request and its priority level; undefined where there are none. */
  readonly classify: (attributes: RequestAttributes) => FlowClass | undefined
  readonly observer: RequestObserver
}

/** Handles a request up to its answer: finds out who asks, whether they may, and who serves it. */
export class ApiHandler {
  readonly #options: ApiHandlerOptions
  readonly #inFlight: InFlight
  readonly #resources: ResourceHandler
  readonly #root: RootHandler
  readonly #discovery: Discovery
  readonly #metrics: RequestMetrics

  constructor(options: ApiHandlerOptions) {
    this.#options = options
    this.#inFlight = new InFlight(options.limits)
    const { registry } = options.services
    this.#discovery = new Discovery(registry, options.delegated)
    this.#resources = new ResourceHandler(options.services)
    this.#metrics = new RequestMetrics(registry, this.#inFlight)
    this.#root = new RootHandler({
      registry,
      discovery: this.#discovery,
      health: new Health(options.storage.isWell),
      tokenIssuer: options.tokenIssuer,
      metrics: this.#metrics,
      openApiSource: sourceOf(options.delegated),
    })
  }

  /** Answers a request; `socket` is the connection that it came over. Never rejects. */
  async handle(request: Request, response: Response, socket: TLSSocket, upgrade?: Upgrade): Promise<void> {
    if (!isUnescapable(request.url)) return refuseUrl(response)
    const lifetime = new Lifetime(response)
    const exchange = { ...this.#begin(request, response), lifetime, upgrade }
    this.#metrics.follow(exchange)
    const { authenticator, observer, services } = this.#options
    const audit = observer.audit && new RequestAudit(exchange, observer.audit, observer.onError)
    try {
      if (!isLongRunning(exchange.info) && !upgrade) this.#limitTime(exchange, lifetime)
      const sender = await authenticator.authenticate(socket, request)
      audit?.from(sender)
      // The client has gone meanwhile, or its time is over: nothing may wait for the end of the response that
      // has been.
      if (lifetime.isOver) return
      const user = sniffless(response, () => impersonatedUser(sender, request, services.authorize))
      if (user !== sender) audit?.as(user)
      await this.#serve({ ...exchange, user }, audit)
    } catch (error) {
      this.#fail(exchange, error)
    }
  }

  /** Reports whether a request may have the other protocol it asks for; else it is answered as any other. */
  mayUpgrade({ url = '/' }: Pick<Request, 'url'>): boolean {
    return this.#options.delegated?.has(url.split('?', 1)[0] ?? '') ?? false
  }

  #begin(request: Request, response: Response): Omit<Exchange, 'lifetime'> {
    const url = request.url ?? '/'
    const cut = url.indexOf('?')
    const path = cut < 0 ? url : url.slice(0, cut)
    const query = new URLSearchParams(cut < 0 ? '' : url.slice(cut + 1))
    setHeader(response, 'audit-id', auditId(header(request, 'audit-id')))
    setHeader(response, 'cache-control', 'no-cache, private')
    const info = requestInfo(request.method ?? 'GET', path, query)
    return {
      request,
      response,
      query,
      info,
      user: ANONYMOUS,
      warnings: [],
      annotations: new Map(),
      durable: this.#options.storage.durable,
    }
  }

  async #serve(exchange: Exchange, audit: RequestAudit | undefined): Promise<void> {
    const { info, user } = exchange
    const attributes = { ...info, namespace: namespaceOf(info), user }
    this.#classify(exchange, attributes)
    this.#inFlight.enter(exchange)
    const { allowed, reason } = decide(this.#options.services.authorize, attributes)
    audit?.decided(allowed)
    if (!allowed)
      sniffless(exchange.response, () => {
        throw refusal(attributes, reason)
      })
    if (this.#options.delegated?.serve(exchange)) return
    if (!info.resourceRequest) await this.#root.handle(exchange)
    else if (this.#discovery.hasGroup(info.group)) await this.#resources.handle(exchange)
    else sendPageNotFound(exchange)
  }

  /** Sets the headers that name the flow schema of the request. */
  #classify({ response }: Exchange, attributes: RequestAttributes): void {
    const found = this.#options.classify(attributes)
    if (found === undefined) return
    setHeader(response, 'x-kubernetes-pf-flowschema-uid', found.flowSchemaUid)
    setHeader(response, 'x-kubernetes-pf-prioritylevel-uid', found.priorityLevelUid)
  }

  /** Answers a request that takes too long, as one whose body does not come, and lets go of its sender. */
  #limitTime(exchange: Exchange, lifetime: Lifetime): void {
    const { response, request, query } = exchange
    const { timeoutSeconds = 60 } = this.#options.limits
    lifetime.limit(timeLimitOf(query, timeoutSeconds * 1000), () => {
      response.once('finish', () => request.destroy())
      this.#fail(exchange, requestTimeout())
    })
  }

  #fail(exchange: Exchange, error: unknown): void {
    const { response } = exchange
    const failure = error instanceof ApiError ? error : internal(messageOf(error))
    if (failure !== error && !(error instanceof ClientGoneError)) this.#options.observer.onError(error)
    if (response.headersSent || error instanceof ClientGoneError) response.destroy()
    else sendError(exchange, failure)
  }
}

function sourceOf(delegated: DelegatedApis | undefined): OpenApiSource | undefined {
  return (
    delegated && {
      get generation() {
        return delegated.openApiGeneration
      },
      v2: () => delegated.openApiV2(),
      openApiPaths: () => delegated.openApiPaths(),
    }
  )
}

/** Sends refusals of filters before the API with this header, as upstream does. */
function sniffless<T>(response: Response, filter: () => T): T {
  try {
    return filter()
  } catch (error) {
    setHeader(response, 'x-content-type-options', 'nosniff')
    throw error
  }
}

/** Reports whether each percent sign in the path is followed by two hexadecimal digits. */
const isUnescapable = (url = '/'): boolean => !/^[^?]*%(?![0-9a-fA-F]{2})/.test(url)

/** Refuses a URL as Go's server does, before the request is read. */
function refuseUrl(response: Response): void {
  response.statusCode = 400
  setHeader(response, 'content-type', 'text/plain; charset=utf-8')
  response.end('400 Bad Request')
}

/** Returns the client's own id if it is valid: upstream takes up to 64 characters. */
function auditId(wanted: string): string {
  return wanted !== '' && wanted.length <= 64 ? wanted : randomUUID()
}
