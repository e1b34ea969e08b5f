import { randomUUID } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import { ApiError, internal } from '../errors/index.ts'
import { OpenApi } from '../openapi/index.ts'
import { decide } from '../registry/index.ts'
import { ANONYMOUS, type Authenticator, refusal } from '../security/index.ts'
import { Discovery } from './discovery.ts'
import { type Exchange, header, type Request, type Response } from './exchange.ts'
import { impersonatedUser } from './impersonation.ts'
import { requestInfo } from './request-info.ts'
import { type HandlerServices, ResourceHandler } from './resource-handler.ts'
import { sendError, sendPageNotFound, setHeader } from './respond.ts'
import { RootHandler } from './root-handler.ts'

export interface ApiHandlerOptions extends HandlerServices {
  readonly authenticator: Authenticator
  /** Resolves when all that was written is durable; undefined where it is already. */
  readonly durable: () => Promise<void> | undefined
  /** Told of failures that are the server's own fault. */
  readonly onError: (error: unknown) => void
}

/** From a request to its answer: who asks, whether they may, who serves it. */
export class ApiHandler {
  readonly #options: ApiHandlerOptions
  readonly #resources: ResourceHandler
  readonly #root: RootHandler
  readonly #discovery: Discovery

  constructor(options: ApiHandlerOptions) {
    this.#options = options
    this.#discovery = new Discovery(options.registry)
    this.#resources = new ResourceHandler(options)
    this.#root = new RootHandler(this.#discovery, new OpenApi(options.registry))
  }

  /** Answers a request; `socket` is the connection that it came over. Never rejects. */
  async handle(request: Request, response: Response, socket: TLSSocket): Promise<void> {
    const exchange = this.#begin(request, response)
    try {
      const { authenticator, authorize } = this.#options
      const sender = await authenticator.authenticate(socket, request.headers.authorization)
      await this.#serve({ ...exchange, user: impersonatedUser(sender, request, authorize) })
    } catch (error) {
      this.#fail(exchange, error)
    }
  }

  #begin(request: Request, response: Response): Exchange {
    const url = request.url ?? '/'
    const cut = url.indexOf('?')
    const path = cut < 0 ? url : url.slice(0, cut)
    const query = new URLSearchParams(cut < 0 ? '' : url.slice(cut + 1))
    setHeader(response, 'audit-id', header(request, 'audit-id') || randomUUID())
    setHeader(response, 'cache-control', 'no-cache, private')
    const info = requestInfo(request.method ?? 'GET', path, query)
    return { request, response, query, info, user: ANONYMOUS, warnings: [], durable: this.#options.durable }
  }

  async #serve(exchange: Exchange): Promise<void> {
    const { info, user } = exchange
    const attributes = { ...info, user }
    if (!decide(this.#options.authorize, attributes).allowed) throw refusal(attributes)
    if (!info.resourceRequest) this.#root.handle(exchange)
    else if (this.#discovery.hasGroup(info.group)) await this.#resources.handle(exchange)
    else sendPageNotFound(exchange)
  }

  #fail(exchange: Exchange, error: unknown): void {
    const failure = error instanceof ApiError ? error : internal(messageOf(error))
    if (failure !== error) this.#options.onError(error)
    const { response } = exchange
    if (response.headersSent) response.destroy()
    else sendError(exchange, failure)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
