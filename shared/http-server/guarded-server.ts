import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, BlockList, isIPv6, type Socket } from 'node:net'

export interface GuardOptions {
  /** Whether browsers are served; default true, as far as the request comes from no other site's page. */
  readonly allowsBrowsers?: boolean
  /** Answers a request that passed the guard. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void
}

export const MAX_CONNECTIONS = 256
const MAX_HEADER_BYTES = 8 * 1024
/** Time limits in milliseconds: for the headers, for the whole request, between checks of both. */
const HEADERS_TIMEOUT = 3_000
const REQUEST_TIMEOUT = 5_000
const CHECK_INTERVAL = 1_000
/** Milliseconds without traffic after which a connection ends; longer than a long poll. */
const IDLE_TIMEOUT = 60_000

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8)
LOOPBACK.addAddress('::1', 'ipv6')

/** Reports whether an IP address reaches this machine only. */
export const isLoopback = (address: string): boolean =>
  LOOPBACK.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

export type GuardedServer = ReturnType<typeof createGuardedServer>

/**
 * An HTTP server without TLS that resists what local processes and web pages may send it. Every such server
 * of the project is one; docs/threat-model.md lists them.
 *
 * 1. On a loopback address it answers only requests whose Host is a loopback name with its port: a page
 *    whose own name was made to lead to 127.0.0.1 (DNS rebinding) sends that name.
 * 2. It refuses requests that a page of another site makes, which browsers mark with Origin or
 *    Sec-Fetch-Site.
 * 3. Headers of more than 8 KiB, and requests that take longer than 5 s, end the connection.
 * 4. Connections beyond the maximum replace the oldest one that waits for its request, so that idle
 * connections block no other client.
 */
export function createGuardedServer({ allowsBrowsers = true, answer }: GuardOptions) {
  /** Connections by age; the value is the number of their requests that are not answered yet. */
  const connections = new Map<Socket, number>()
  let hosts: ReadonlySet<string> | undefined
  const server: Server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT,
    requestTimeout: REQUEST_TIMEOUT,
    connectionsCheckingInterval: CHECK_INTERVAL,
  })
  server.timeout = IDLE_TIMEOUT
  server.on('connection', admit)
  server.on('request', (request, response) => {
    countUntilAnswered(request.socket, response)
    const refusal = refusalOf(request)
    if (refusal === undefined) answer(request, response)
    else refuse(response, refusal)
  })

  function admit(socket: Socket): void {
    connections.set(socket, 0)
    socket.once('close', () => connections.delete(socket))
    if (connections.size <= MAX_CONNECTIONS) return
    // The new one is the youngest, so it ends only where all others are being answered.
    for (const [candidate, requests] of connections) {
      if (requests > 0) continue
      connections.delete(candidate)
      candidate.destroy()
      return
    }
  }

  function countUntilAnswered(socket: Socket, response: ServerResponse): void {
    connections.set(socket, (connections.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const requests = connections.get(socket)
      if (requests !== undefined) connections.set(socket, requests - 1)
    })
  }

  function refusalOf({ headers }: IncomingMessage): Refusal | undefined {
    const { host = '', origin } = headers
    if (hosts !== undefined && !hosts.has(host.toLowerCase()))
      return { status: 421, reason: `this server answers to ${[...hosts].join(' and ')} only` }
    const site = headers['sec-fetch-site']
    const isForeign = site === 'cross-site' || site === 'same-site' || !isOrigin(origin, host)
    if (isForeign || (!allowsBrowsers && (origin ?? site) !== undefined))
      return { status: 403, reason: 'this server answers no pages of other sites' }
    return undefined
  }

  return {
    get isListening(): boolean {
      return server.listening
    },
    /**
     * Resolves to the port; rejects with the system's error where it is taken.
     * @param port 0 picks one
     * @param address an IP address
     */
    async listen(port: number, address = '127.0.0.1'): Promise<number> {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      server.once('error', reject)
      server.listen(port, address, resolve)
      await promise
      const { port: bound } = server.address() as AddressInfo
      if (isLoopback(address)) hosts = hostsOf(address, bound)
      return bound
    },
    /** Lets the process end although the server listens. */
    unref(): void {
      server.unref()
    },
    /** Ends all connections and frees the port. */
    async stop(): Promise<void> {
      if (!server.listening) return
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      for (const socket of connections.keys()) socket.destroy()
      await closed
    },
  }
}

function hostsOf(address: string, port: number): ReadonlySet<string> {
  const names = [isIPv6(address) ? `[${address}]` : address, '127.0.0.1', 'localhost', '[::1]']
  // Clients leave out the port that is the protocol's own.
  return new Set(names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])))
}

const isOrigin = (origin: string | undefined, host: string): boolean =>
  origin === undefined || origin === `http://${host}`

export interface Refusal {
  readonly status: number
  readonly reason: string
}

/** Answers with a status and one line of text. */
export const refuse = (response: ServerResponse, { status, reason }: Refusal): void =>
  void response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${reason}\n`)
