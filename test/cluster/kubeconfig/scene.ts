import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { type Authority, certificateAuthority, type KeyPair } from '../../../shared/control-plane/index.ts'
import { type ForwardProxy, startHttpProxy, startSocksProxy } from '../../support/forward-proxies.ts'

/** Who asked a server, and how. */
export interface Visit {
  readonly server: string
  readonly path: string | undefined
  readonly authorization: string | undefined
  /** Headers and values, sorted: Go's maps have no order. */
  readonly impersonation: readonly string[]
  readonly certificate: string | undefined
  readonly serverName: string | false | null
  readonly isCompressible: boolean
}

interface WatchedServer {
  readonly port: number
  readonly authority: Authority
}

/** Servers that remember who asked them, proxies before the first one, and what kubeconfigs need of them. */
export interface Scene {
  readonly a: WatchedServer
  readonly b: WatchedServer
  readonly visits: Visit[]
  readonly client: KeyPair
  readonly otherClient: KeyPair
  readonly proxies: Readonly<Record<'http' | 'https' | 'socks5' | 'refusing', ForwardProxy>>
  /** A port on which nothing listens. */
  readonly deadPort: number
  close(): Promise<void>
}

const HOSTS = ['127.0.0.1', '0.0.0.0', '::1', 'localhost', 'api.corp.example']

export async function openScene(): Promise<Scene> {
  const visits: Visit[] = []
  const [a, b, dead] = await Promise.all([start('a', visits), start('b', visits), start('dead', visits)])
  const deadPort = dead.port
  await dead.close()
  const tls = await a.authority.server(HOSTS)
  const [http, https, socks5, refusing] = await Promise.all([
    startHttpProxy({ target: a.port }),
    startHttpProxy({ target: a.port, tls }),
    startSocksProxy({ target: a.port }),
    startHttpProxy({ target: a.port, refuse: 407 }),
  ])
  const proxies = { http, https, socks5, refusing }
  return {
    a,
    b,
    visits,
    deadPort,
    proxies,
    client: await a.authority.client('jane', ['team']),
    otherClient: await a.authority.client('joe', ['team']),
    async close() {
      await Promise.all([a, b, ...Object.values(proxies)].map((each) => each.close()))
    },
  }
}

async function start(name: string, visits: Visit[]): Promise<WatchedServer & { close(): Promise<void> }> {
  const authority = await certificateAuthority()
  const { certificate, key } = await authority.server(HOSTS)
  const options = {
    cert: certificate,
    key,
    ca: authority.certificate,
    requestCert: true,
    rejectUnauthorized: false,
  }
  const server = createServer(options, (request, response) => {
    visits.push(visitOf(name, request))
    const isRefused = request.headers.authorization === 'Bearer secret-refused'
    response.writeHead(isRefused ? 401 : 200, { 'content-type': 'application/json' })
    response.end(isRefused ? '{"kind":"Status","apiVersion":"v1","status":"Failure","code":401}' : '{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    authority,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function visitOf(server: string, { url, headers, rawHeaders, socket }: IncomingMessage): Visit {
  const pairs = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [`${name.toLowerCase()}: ${rawHeaders[index + 1]}`] : [],
  )
  const tls = socket as TLSSocket & { readonly servername?: string | false | null }
  return {
    server,
    // kubectl adds the time limit of its flag.
    path: url?.replace(/\?timeout=.*/, ''),
    authorization: headers.authorization,
    impersonation: pairs.filter((pair) => pair.startsWith('impersonate-')).sort(),
    certificate: tls.getPeerCertificate().subject?.CN?.toString(),
    serverName: tls.servername ?? null,
    isCompressible: String(headers['accept-encoding']).includes('gzip'),
  }
}
