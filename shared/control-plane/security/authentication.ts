import type { TLSSocket } from 'node:tls'
import { unauthorized } from '../errors/index.ts'
import type { User } from '../registry/index.ts'

export const ANONYMOUS: User = { username: 'system:anonymous', groups: ['system:unauthenticated'] }

/** Users by bearer token. */
export type StaticTokens = Readonly<Record<string, User>>

/** Who sends a request: by its client certificate, else by its bearer token, else nobody. Throws a 401 for credentials that are no good. */
export class Authenticator {
  readonly #tokens: StaticTokens
  readonly #bySocket = new WeakMap<TLSSocket, User | undefined>()

  constructor(tokens: StaticTokens) {
    this.#tokens = tokens
  }

  authenticate(socket: TLSSocket, authorization: string | undefined): User {
    const certified = this.#certified(socket)
    if (certified) return certified
    const token = /^Bearer\s+(.*)$/i.exec(authorization ?? '')?.[1]
    if (token === undefined) return ANONYMOUS
    const user = Object.hasOwn(this.#tokens, token) ? this.#tokens[token] : undefined
    if (!user) throw unauthorized()
    return authenticated(user)
  }

  /** The user of the connection's certificate; kept, since a connection never changes its certificate. */
  #certified(socket: TLSSocket): User | undefined {
    if (this.#bySocket.has(socket)) return this.#bySocket.get(socket)
    const subject = socket.getPeerCertificate?.()?.subject
    if (subject && !socket.authorized) throw unauthorized()
    const user = subject?.CN
      ? authenticated({ username: first(subject.CN), groups: all(subject.O) })
      : undefined
    this.#bySocket.set(socket, user)
    return user
  }
}

function authenticated(user: User): User {
  return { ...user, groups: [...new Set([...user.groups, 'system:authenticated'])] }
}

function all(value: string | string[] | undefined): string[] {
  return value === undefined ? [] : [value].flat()
}

function first(value: string | string[]): string {
  return all(value)[0] ?? ''
}
