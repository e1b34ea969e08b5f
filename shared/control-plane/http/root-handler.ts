import { methodNotAllowed, noSuchResource } from '../errors/index.ts'
import type { JsonObject } from '../json.ts'
import type { OpenApi } from '../openapi/index.ts'
import type { Discovery } from './discovery.ts'
import { entityTag } from './discovery.ts'
import { type Exchange, header } from './exchange.ts'
import { wantsAggregatedDiscovery } from './media-types.ts'
import { send, sendText, setHeader } from './respond.ts'

const PLAIN = 'text/plain; charset=utf-8'
const CHECKS = ['ping', 'log', 'storage', 'informer-sync', 'shutdown']
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** The release of Kubernetes whose behaviour this server has. */
const VERSION: JsonObject = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.4',
  gitCommit: '$Format:%H$',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'go1.26.8',
  compiler: 'gc',
  platform: 'linux/amd64',
}

/** Serves everything that is no resource: discovery, OpenAPI, health, version. */
export class RootHandler {
  readonly #discovery: Discovery
  readonly #openApi: OpenApi

  constructor(discovery: Discovery, openApi: OpenApi) {
    this.#discovery = discovery
    this.#openApi = openApi
  }

  handle(exchange: Exchange): void {
    const path = exchange.info.path.replace(/(.)\/$/, '$1')
    const [, first = '', second = '', third = ''] = path.split('/')
    if (exchange.info.method !== 'GET' && exchange.info.method !== 'HEAD') throw methodNotAllowed()
    switch (first) {
      case 'api':
      case 'apis':
        return this.#discover(exchange, first === 'api' ? ['', second, second] : [first, second, third])
      case 'openapi':
        return this.#openapi(exchange, path)
      case 'version':
        return sendJson(exchange, VERSION)
      case 'healthz':
      case 'livez':
      case 'readyz':
        return health(exchange, first, second)
      case '':
        return sendJson(exchange, { paths: this.#paths() })
      default:
        pageNotFound(exchange)
    }
  }

  #paths(): string[] {
    return ['/api', '/api/v1', '/apis', '/healthz', '/livez', '/openapi/v3', '/readyz', '/version']
  }

  #discover(exchange: Exchange, [area, group, version]: readonly string[]): void {
    const core = area === ''
    if (group === '' || group === undefined) return this.#discoverRoot(exchange, core)
    if (core) return this.#answer(exchange, this.#discovery.resources('', version ?? ''), '')
    const document =
      version === '' ? this.#discovery.group(group) : this.#discovery.resources(group, version ?? '')
    this.#answer(exchange, document, group)
  }

  #discoverRoot(exchange: Exchange, core: boolean): void {
    setHeader(exchange.response, 'vary', 'Accept')
    if (!wantsAggregatedDiscovery(header(exchange.request, 'accept'))) {
      const address = header(exchange.request, 'host') || header(exchange.request, ':authority')
      return sendJson(exchange, core ? this.#discovery.versions(address) : this.#discovery.groups())
    }
    const body = JSON.stringify(this.#discovery.aggregated(core))
    const tag = entityTag(body)
    setHeader(exchange.response, 'etag', tag)
    setHeader(exchange.response, 'cache-control', 'public')
    if (header(exchange.request, 'if-none-match') === tag) {
      exchange.response.statusCode = 304
      exchange.response.end()
    } else send(exchange, { code: 200, body, contentType: AGGREGATED })
  }

  /** A group that nobody has registered has no handler at all; an unknown version of a known group has one that finds nothing. */
  #answer(exchange: Exchange, document: JsonObject | undefined, group: string): void {
    if (document) return sendJson(exchange, document)
    if (this.#discovery.hasGroup(group)) throw noSuchResource()
    pageNotFound(exchange)
  }

  #openapi(exchange: Exchange, path: string): void {
    if (path === '/openapi/v3') {
      return sendText(exchange, 200, JSON.stringify(this.#openApi.index()), 'text/plain; charset=utf-8')
    }
    const document = this.#openApi.document(path.replace('/openapi/v3/', ''))
    if (!document) {
      exchange.response.statusCode = 404
      exchange.response.end()
      return
    }
    setHeader(exchange.response, 'etag', `"${document.hash}"`)
    setHeader(exchange.response, 'vary', 'Accept')
    const wanted = exchange.query.get('hash')
    if (wanted !== null && wanted !== document.hash) {
      setHeader(exchange.response, 'location', `${path}?hash=${document.hash}`)
      exchange.response.statusCode = 301
      exchange.response.end()
      return
    }
    if (wanted !== null) setHeader(exchange.response, 'cache-control', 'public, immutable')
    sendText(exchange, 200, document.text, 'application/json')
  }
}

function sendJson(exchange: Exchange, body: JsonObject): void {
  send(exchange, { code: 200, body: JSON.stringify(body) })
}

export function pageNotFound(exchange: Exchange): void {
  sendText(exchange, 404, '404 page not found\n', PLAIN)
}

function health(exchange: Exchange, name: string, check: string): void {
  if (check !== '' && !CHECKS.includes(check)) return pageNotFound(exchange)
  const verbose = exchange.query.has('verbose')
  const lines = CHECKS.map((item) => `[+]${item} ok\n`).join('')
  sendText(exchange, 200, verbose && check === '' ? `${lines}${name} check passed\n` : 'ok', PLAIN)
}
