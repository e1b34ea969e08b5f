import { Agent, type AgentOptions, type RequestOptions } from 'node:https'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { environmentProxy, nameOfProxy } from '../../proxy/index.ts'
import { isRecent } from '../../values/index.ts'
import type { ClusterConnection, Credentials } from '../connection.ts'
import { ConnectionError, isDistrust } from '../errors/errors.ts'
import { within } from './within.ts'

/** Field manager of our writes: the API server takes it from the beginning of the User-Agent. */
export const FIELD_MANAGER = 'sliceflow'

/** Maximum number of connections to one API server; further requests wait for one. */
const MAX_SOCKETS = 64

/** One API server and who we are there, for as long as the credentials hold. */
export interface Session {
  readonly server: URL
  readonly agent: Agent
  readonly base: RequestOptions
  /** Sent with every request: names and values in turn. */
  readonly headers: readonly string[]
  readonly prefix: string
  /** What answers may be compressed with. */
  readonly acceptEncoding: 'gzip' | 'identity'
  /** Name of the proxy on the way there, for errors. */
  readonly proxy?: string
}

/** Maximum milliseconds for loading credentials: exec plugins call other services or wait for a person. */
const CREDENTIALS_TIMEOUT_MS = 60_000

/**
 * Credentials that cannot be loaded again, or by which the server cannot be trusted, are asked for again
 * after this time, in milliseconds.
 */
const RETRY_MS = 10_000

interface HeldSession {
  readonly session: Session
  readonly tls: Tls
  readonly expiresAt: number
  /** When credentials were last asked for. */
  readonly askedAt: number
  /** False once the server has refused the credentials. */
  readonly isUsable: boolean
  /** Whether the server came with the credentials. */
  readonly isLocated: boolean
}

type Tls = Pick<Credentials, 'ca' | 'cert' | 'key' | 'servername' | 'rejectUnauthorized' | 'proxy'>

/** Keeps the session of a connection, renewed when its credentials expire or were refused. */
export function keepSession(connection: ClusterConnection) {
  let held: HeldSession | undefined
  let renewal: Promise<Session> | undefined
  const closing = new AbortController()

  async function renew(): Promise<Session> {
    try {
      const credentials = await loadCredentials(connection, CREDENTIALS_TIMEOUT_MS, closing.signal)
      const before = held
      held = await start(connection.server, credentials, before)
      if (before !== undefined && before.session.agent !== held.session.agent) retire(before.session.agent)
      return held.session
    } catch (error) {
      // A file may be half written. As client-go does, go on with what the server has not refused.
      if (!held?.isUsable) throw error
      held = { ...held, expiresAt: Date.now() + RETRY_MS, askedAt: Date.now() }
      return held.session
    } finally {
      renewal = undefined
    }
  }

  /** Returns the session whose credentials hold, if there is one. */
  function current(): Session | undefined {
    return held?.isUsable && Date.now() < held.expiresAt ? held.session : undefined
  }

  /** Notes that the server refused these credentials: the next `open` loads fresh ones. */
  function refuse(session: Session): void {
    if (held?.session === session) held = { ...held, isUsable: false }
  }

  return {
    current,
    /** Returns the address of the server; undefined while it is to come with credentials. */
    address: (): string | undefined => (held?.isLocated ? current() : held?.session)?.server.href,
    /** Rejects if loading the credentials fails or times out; the next call tries again. */
    async open(): Promise<Session> {
      const session = current()
      if (session !== undefined) return session
      renewal ??= renew()
      return renewal
    },
    refuse,
    /**
     * Notes that the server did not answer. An address that came with credentials is loaded again; so is the
     * authority of a server that is not trusted, as both may have been replaced.
     */
    unanswered(session: Session, error: ConnectionError): void {
      if (held?.session !== session) return
      if (held.isLocated) refuse(session)
      else if (isDistrust(error) && !isRecent(held.askedAt, RETRY_MS)) held = { ...held, expiresAt: 0 }
    },
    /** Drops idle connections, which may be as dead as one that was silent: the next calls open new ones. */
    dropIdle(): void {
      if (held !== undefined) destroyIdle(held.session.agent)
    },
    close(): void {
      closing.abort(new ConnectionError(`the client of cluster ${connection.name} is closed`, 'ECLOSED'))
      held?.session.agent.destroy()
      held = undefined
    },
    isClosed: (): boolean => closing.signal.aborted,
  }
}

/**
 * Loads credentials. Loading is aborted once no caller waits for them.
 * @throws ConnectionError where they did not come within `ms`
 */
export async function loadCredentials(
  connection: ClusterConnection,
  ms: number,
  signal?: AbortSignal,
): Promise<Credentials> {
  const ending = new AbortController()
  try {
    return await within(connection.credentials(ending.signal), {
      ms,
      late: () => lateCredentials(connection.name, ms / 1000),
      signal,
    })
  } finally {
    ending.abort()
  }
}

/** @param seconds for which they were waited for */
export const lateCredentials = (cluster: string, seconds: number): ConnectionError =>
  new ConnectionError(
    `the credentials of cluster ${cluster} did not come within ${seconds} s: does its exec plugin, or what else makes them, hang?`,
    'ETIMEDOUT',
  )

/**
 * Starts a session. A new token keeps the connections while server, proxy and TLS material stay.
 * @throws Error where its TLS material is not usable, and that of the session before is: a certificate may
 *   have been replaced, and its key not yet
 */
async function start(
  named: URL,
  credentials: Credentials,
  before: HeldSession | undefined,
): Promise<HeldSession> {
  const {
    headers,
    server = named,
    expiresAt = Number.POSITIVE_INFINITY,
    disableCompression,
    ...given
  } = credentials
  const tls = { ...given, proxy: given.proxy ?? environmentProxy(server, process.env) }
  const agent =
    before !== undefined && isSame(before, server, tls)
      ? before.session.agent
      : await createAgent(tls, before?.isUsable)
  return {
    session: {
      server,
      agent,
      base: { agent, host: server.hostname.replace(/^\[|\]$/g, ''), port: server.port || 443 },
      headers: ['host', server.host, 'user-agent', FIELD_MANAGER, ...headerLines(headers)],
      prefix: server.pathname.replace(/\/$/, ''),
      acceptEncoding: disableCompression ? 'identity' : 'gzip',
      ...(tls.proxy && { proxy: nameOfProxy(tls.proxy) }),
    },
    ...{ tls, expiresAt, askedAt: Date.now(), isUsable: true },
    isLocated: credentials.server !== undefined,
  }
}

const headerLines = (headers: Credentials['headers']): string[] =>
  Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [name, value] : value.flatMap((each) => [name, each]),
  )

/** Returns the system's authorities, which Go trusts (SSL_CERT_FILE, SSL_CERT_DIR); Node has its own list. */
function systemAuthorities({ rejectUnauthorized }: Tls): string[] | undefined {
  if (rejectUnauthorized === false) return undefined
  const certificates = getCACertificates('system')
  return certificates.length === 0 ? undefined : certificates
}

async function createAgent({ proxy, ...tls }: Tls, isChecked = false): Promise<Agent> {
  const { ca = systemAuthorities(tls) } = tls
  const options = { keepAlive: true, maxSockets: MAX_SOCKETS, scheduling: 'lifo', ...tls, ca } as const
  let context: SecureContext | undefined
  // With the first connection rather than before: what cannot be read is an error of the request.
  const secureContext = (): SecureContext => {
    context ??= createSecureContext(options)
    return context
  }
  if (isChecked) secureContext()
  if (proxy === undefined) return new OneServerAgent(options, secureContext)
  // Loaded here only: most have none.
  const { createProxyAgent } = await import('../../proxy/proxy-agent.ts')
  return createProxyAgent(proxy, options, secureContext)
}

function isSame(before: HeldSession, server: URL, tls: Tls): boolean {
  if (before.session.server.href !== server.href) return false
  const names = ['ca', 'cert', 'key', 'servername', 'rejectUnauthorized', 'proxy'] as const
  return names.every((name) => String(before.tls[name]) === String(tls[name]))
}

/**
 * Uses one pool key for all connections: the default one serializes all certificates and keys on each call.
 * The authorities, the certificate and the key are read once: those of the system take 25 ms of CPU.
 */
class OneServerAgent extends Agent {
  readonly #secureContext: () => SecureContext

  constructor(options: AgentOptions, secureContext: () => SecureContext) {
    super(options)
    this.#secureContext = secureContext
  }

  override createConnection(...[given, onCreated]: Parameters<Agent['createConnection']>) {
    const options = { ...given, secureContext: this.#secureContext() }
    return super.createConnection(options, onCreated)
  }

  override getName(): string {
    return 'server'
  }
}

/** Lets running requests end and closes idle connections. */
function retire(agent: Agent): void {
  agent.maxFreeSockets = 0
  destroyIdle(agent)
}

function destroyIdle(agent: Agent): void {
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
}
