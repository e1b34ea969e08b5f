import { methodNotAllowed } from '../../../apimachinery/errors/factories.ts'
import type { OpenApi, OpenApiSource } from '../../openapi/open-api.ts'
import { apiVersionOf } from '../../registry/definition/names.ts'
import type { Registry } from '../../registry/registry.ts'
import type { Discovery } from '../discovery/discovery.ts'
import { serveDiscovery } from '../discovery/discovery-handler.ts'
import type { Exchange } from '../exchange.ts'
import type { RequestMetrics } from '../metrics/request-metrics.ts'
import { sendPageNotFound, sendText } from '../respond.ts'
import { HEALTH_ENDPOINTS, type Health } from './health.ts'
import { serveConfiguration, serveKeySet, type TokenIssuer } from './open-id.ts'
import { serveOpenApiV2, serveOpenApiV3 } from './openapi-handler.ts'
import { VERSION } from './version.ts'

interface RootServices {
  readonly registry: Registry
  readonly discovery: Discovery
  readonly health: Health
  readonly tokenIssuer: TokenIssuer
  readonly metrics: RequestMetrics
  /** Documents of other servers that are listed with our own. */
  readonly openApiSource: OpenApiSource | undefined
}

type Serve = (exchange: Exchange) => void | Promise<void>

/**
 * Serves everything that is no resource: discovery, OpenAPI, health, metrics, keys, version. As with
 * kube-apiserver some paths are there with a slash at their end too, and for reads alone; the others take any
 * method, and no slash.
 */
export class RootHandler {
  readonly #services: RootServices
  #openApi: Promise<OpenApi> | undefined

  constructor(services: RootServices) {
    this.#services = services
  }

  async handle(exchange: Exchange): Promise<void> {
    const { path, method } = exchange.info
    const trimmed = path.replace(/(.)\/$/, '$1')
    const forReads = this.#forReads(trimmed)
    if (forReads) {
      if (method !== 'GET') throw methodNotAllowed()
      await forReads(exchange)
    } else await (this.#forAll(path) ?? this.#discoveryOfGroups(trimmed) ?? sendPageNotFound)(exchange)
  }

  #forReads(path: string): Serve | undefined {
    const { discovery, tokenIssuer } = this.#services
    switch (path) {
      case '/.well-known/openid-configuration':
        return (exchange) => serveConfiguration(exchange, tokenIssuer)
      case '/openid/v1/jwks':
        return (exchange) => serveKeySet(exchange, tokenIssuer)
      case '/version':
        return (exchange) => sendText(exchange, 200, JSON.stringify(VERSION, null, 2), 'application/json')
      default:
        if (!this.#isDiscovered(path)) return undefined
        return (exchange) => serveDiscovery(exchange, discovery, discoveryParts(path))
    }
  }

  #isDiscovered(path: string): boolean {
    if (path === '/api') return true
    if (!/^\/(api\/[^/]+|apis\/[^/]+\/[^/]+)$/.test(path)) return false
    const [group = '', version = ''] = discoveryParts(path)
    return this.#services.discovery.resources(group, version) !== undefined
  }

  #discoveryOfGroups(path: string): Serve | undefined {
    if (!/^\/(api\/[^/]+|apis(\/[^/]+){0,2})$/.test(path)) return undefined
    return (exchange) => serveDiscovery(exchange, this.#services.discovery, discoveryParts(path))
  }

  #forAll(path: string): Serve | undefined {
    switch (path) {
      case '/':
        return (exchange) => this.#servePaths(exchange)
      case '/metrics':
        return (exchange) => this.#services.metrics.serve(exchange)
      case '/metrics/slis':
        return (exchange) => this.#services.health.serveSlis(exchange)
      case '/openapi/v2':
        return async (exchange) => serveOpenApiV2(exchange, await this.#documents())
      case '/openapi/v3':
        return async (exchange) => serveOpenApiV3(exchange, await this.#documents(), '')
      default:
        return this.#forAllBelow(path)
    }
  }

  #forAllBelow(path: string): Serve | undefined {
    if (path.startsWith('/openapi/v3/')) {
      const name = path.slice('/openapi/v3/'.length)
      return async (exchange) => serveOpenApiV3(exchange, await this.#documents(), name)
    }
    const [, first, ...rest] = path.split('/')
    const endpoint = HEALTH_ENDPOINTS.find((name) => name === first)
    if (endpoint === undefined || path === `/${endpoint}/`) return undefined
    return (exchange) => this.#services.health.serve(exchange, endpoint, rest.join('/'))
  }

  /** Loads the documents on the first request: the schemas of all kinds would slow down every start. */
  #documents(): Promise<OpenApi> {
    const { registry, openApiSource } = this.#services
    this.#openApi ??= import('../../openapi/open-api.ts').then(
      ({ OpenApi: Documents }) => new Documents(registry, openApiSource),
    )
    return this.#openApi
  }

  /** Serves `/`: every path that does not belong to a resource, always indented. */
  #servePaths(exchange: Exchange): void {
    const { registry, health } = this.#services
    const groups = registry.groupVersions.flatMap((groupVersion) =>
      groupVersion.group === ''
        ? [`/api/${groupVersion.version}`]
        : [`/apis/${groupVersion.group}`, `/apis/${apiVersionOf(groupVersion)}`],
    )
    const paths = [...new Set([...FIXED_PATHS, ...health.paths, ...groups])].sort()
    sendText(exchange, 200, JSON.stringify({ paths }, null, 2), 'application/json')
  }
}

const FIXED_PATHS = [
  '/.well-known/openid-configuration',
  '/api',
  '/apis',
  '/apis/',
  '/metrics',
  '/metrics/slis',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/',
  '/openid/v1/jwks',
  '/version',
]

/** Returns group and version, as far as the path has them; the core group is empty. */
function discoveryParts(path: string): string[] {
  const [, root, ...rest] = path.split('/')
  return root === 'api' ? ['', ...rest] : rest
}
