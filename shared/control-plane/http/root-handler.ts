import { methodNotAllowed } from '../errors/index.ts'
import type { JsonObject } from '../json.ts'
import type { OpenApi } from '../openapi/index.ts'
import type { Discovery } from './discovery.ts'
import { serveDiscovery } from './discovery-handler.ts'
import type { Exchange } from './exchange.ts'
import { serveOpenApi } from './openapi-handler.ts'
import { sendJson, sendPageNotFound, sendText } from './respond.ts'

const CHECKS = ['ping', 'log', 'storage', 'informer-sync', 'shutdown']
const PATHS = ['/api', '/api/v1', '/apis', '/healthz', '/livez', '/openapi/v3', '/readyz', '/version']

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
    const { method } = exchange.info
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed()
    const path = exchange.info.path.replace(/(.)\/$/, '$1')
    const [, first = '', ...rest] = path.split('/')
    const serve = Object.hasOwn(this.#areas, first) ? this.#areas[first] : undefined
    if (serve) serve(exchange, rest, first)
    else sendPageNotFound(exchange)
  }

  /** Who serves the paths, by their first part. */
  readonly #areas: Record<string, (exchange: Exchange, rest: readonly string[], first: string) => void> = {
    '': (exchange, rest) =>
      rest.length === 0 ? sendJson(exchange, { paths: PATHS }) : sendPageNotFound(exchange),
    api: (exchange, rest) => serveDiscovery(exchange, this.#discovery, ['', ...rest]),
    apis: (exchange, rest) => serveDiscovery(exchange, this.#discovery, rest),
    openapi: (exchange, rest) => serveOpenApi(exchange, this.#openApi, rest),
    version: (exchange) => sendJson(exchange, VERSION),
    healthz: serveHealth,
    livez: serveHealth,
    readyz: serveHealth,
  }
}

function serveHealth(exchange: Exchange, [check = '']: readonly string[], name: string): void {
  if (check !== '' && !CHECKS.includes(check)) {
    sendPageNotFound(exchange)
    return
  }
  const verbose = check === '' && exchange.query.has('verbose')
  const lines = CHECKS.map((item) => `[+]${item} ok\n`).join('')
  sendText(exchange, 200, verbose ? `${lines}${name} check passed\n` : 'ok', 'text/plain; charset=utf-8')
}
