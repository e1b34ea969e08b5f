import { Agent, type RequestOptions } from 'node:https'
import type { ClusterConnection, Credentials } from './connection.ts'

/** Connections kept open to one API server; more requests than this wait for one. */
const MAX_SOCKETS = 64

/** One API server and who we are there, for as long as the credentials hold. */
export interface Session {
  readonly server: URL
  readonly agent: Agent
  readonly base: RequestOptions
  readonly prefix: string
}

/** The session of a connection, renewed when its credentials expire or were refused. */
export interface SessionKeeper {
  /** Rejects as the look-up of credentials does; the next call tries again. */
  open(): Promise<Session>
  /** The server refused these credentials: the next `open` loads fresh ones. */
  refuse(session: Session): void
  /** Idle connections may be as dead as one that was silent: the next calls open new ones. */
  dropIdle(): void
  close(): void
}

interface Kept {
  readonly session: Session
  readonly tls: Tls
  readonly expiresAt: number
}

type Tls = Pick<Credentials, 'ca' | 'cert' | 'key' | 'servername' | 'rejectUnauthorized'>

export function keepSession(connection: ClusterConnection): SessionKeeper {
  let kept: Kept | undefined
  let isUsable = false
  let renewal: Promise<Session> | undefined

  async function renew(): Promise<Session> {
    try {
      const credentials = await connection.credentials()
      const before = kept
      kept = start(connection.server, credentials, before)
      if (before !== undefined && before.session.agent !== kept.session.agent) retire(before.session.agent)
      isUsable = true
      return kept.session
    } finally {
      renewal = undefined
    }
  }

  return {
    async open() {
      if (kept !== undefined && isUsable && Date.now() < kept.expiresAt) return kept.session
      renewal ??= renew()
      return renewal
    },
    refuse(session) {
      if (kept?.session === session) isUsable = false
    },
    dropIdle() {
      if (kept !== undefined) destroyIdle(kept.session.agent)
    },
    close() {
      kept?.session.agent.destroy()
      kept = undefined
    },
  }
}

/** A new token is no reason for new connections: they are kept while the server and the TLS material stay the same. */
function start(named: URL, credentials: Credentials, before: Kept | undefined): Kept {
  const { headers, agent: given, server = named, expiresAt = Number.POSITIVE_INFINITY, ...tls } = credentials
  const reusable = before !== undefined && isSame(before, server, tls) ? before.session.agent : undefined
  const agent =
    given ?? reusable ?? new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS, scheduling: 'lifo', ...tls })
  return {
    session: {
      server,
      agent,
      base: { host: server.hostname.replace(/^\[|\]$/g, ''), port: server.port || 443, headers },
      prefix: server.pathname.replace(/\/$/, ''),
    },
    tls,
    expiresAt,
  }
}

function isSame(before: Kept, server: URL, tls: Tls): boolean {
  if (before.session.server.href !== server.href) return false
  const names = ['ca', 'cert', 'key', 'servername', 'rejectUnauthorized'] as const
  return names.every((name) => String(before.tls[name]) === String(tls[name]))
}

/** Lets running requests end and keeps no idle connection. */
function retire(agent: Agent): void {
  agent.maxFreeSockets = 0
  destroyIdle(agent)
}

function destroyIdle(agent: Agent): void {
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
}
