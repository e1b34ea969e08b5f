import { Agent, type AgentOptions } from 'node:https'
import type { Duplex } from 'node:stream'
import type { SecureContext } from 'node:tls'
import { HttpsProxyAgent } from 'hpagent'
import { SocksClient } from 'socks'
import { nameOfProxy } from './proxy-url.ts'

/** A proxy that did not let a connection through: the server behind it was never asked. */
class ProxyError extends Error {
  readonly code: string
  readonly proxy: string

  constructor(proxy: URL, cause: unknown) {
    const { code, message } = cause as NodeJS.ErrnoException
    super(message, { cause })
    // The library for SOCKS hands on the message alone.
    this.code = code ?? /\bE[A-Z_]{4,}\b/.exec(message)?.[0] ?? 'EPROXY'
    this.proxy = nameOfProxy(proxy)
  }
}

type Connected = (error: Error | null, socket: Duplex) => void

/** Returns what all connections share. It may throw: before a connection begins, that fails the request. */
type Secure = () => SecureContext | undefined

/**
 * Creates an agent whose connections are tunnels through a proxy.
 * @param secureContext default: each connection reads the certificates of the options
 */
export function createProxyAgent(
  proxy: URL,
  options: AgentOptions,
  secureContext: Secure = () => undefined,
): Agent {
  return proxy.protocol.startsWith('socks5')
    ? new SocksAgent(proxy, options, secureContext)
    : new TunnelAgent(proxy, options, secureContext)
}

const securedBy = (secureContext: SecureContext | undefined) => (secureContext ? { secureContext } : {})

/** A proxy that cannot be reached is no sooner known than a server. */
const PROXY_TIMEOUT_MS = 20_000

class TunnelAgent extends HttpsProxyAgent {
  readonly #url: URL
  readonly #secure: Secure

  constructor(url: URL, options: AgentOptions, secure: Secure) {
    const { ca, cert, key, rejectUnauthorized } = options
    const { protocol, port } = url
    // A socket wants IPv6 addresses without brackets.
    const proxy = {
      protocol,
      port,
      username: encodeURIComponent(decoded(url.username)),
      password: encodeURIComponent(decoded(url.password)),
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
    } as URL
    super({ ...options, proxy, proxyRequestOptions: { ca, cert, key, rejectUnauthorized } as object })
    this.#url = url
    this.#secure = secure
  }

  override getName(): string {
    return 'server'
  }

  override createConnection(
    given: AgentOptions & { host?: string; timeout?: number },
    connected: Connected,
  ): undefined {
    const options = { ...given, ...securedBy(this.#secure()) }
    const host = options.host?.includes(':') ? `[${options.host}]` : options.host
    const create = super.createConnection as unknown as (options: unknown, connected: Connected) => void
    create.call(this, { ...options, host, timeout: PROXY_TIMEOUT_MS }, (error, socket) =>
      connected(error && new ProxyError(this.#url, error), socket),
    )
  }
}

/** A tunnel through a SOCKS5 proxy, which resolves the names: Go's `socks5` is curl's `socks5h`. */
class SocksAgent extends Agent {
  readonly #url: URL
  readonly #secure: Secure

  constructor(url: URL, options: AgentOptions, secure: Secure) {
    super(options)
    this.#url = url
    this.#secure = secure
  }

  override getName(): string {
    return 'server'
  }

  override createConnection(
    given: AgentOptions & { host?: string; port?: number },
    connected: Connected,
  ): undefined {
    const options = { ...given, ...securedBy(this.#secure()) }
    const { hostname, port, username, password } = this.#url
    const credentials = username && {
      userId: decoded(username),
      password: decoded(password),
    }
    SocksClient.createConnection({
      command: 'connect',
      proxy: { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 1080), type: 5, ...credentials },
      destination: { host: options.host ?? '', port: Number(options.port) },
      timeout: PROXY_TIMEOUT_MS,
    }).then(
      ({ socket }) =>
        connected(null, super.createConnection({ ...options, socket } as AgentOptions) as Duplex),
      (error: unknown) => connected(new ProxyError(this.#url, error), undefined as unknown as Duplex),
    )
  }
}

/** Decodes a user name or a password. One with a percent sign that stands for itself is taken as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
