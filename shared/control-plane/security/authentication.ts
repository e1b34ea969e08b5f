import type { TLSSocket } from 'node:tls'
import { unauthorized } from '../errors/index.ts'
import type { User } from '../registry/index.ts'

export const ANONYMOUS: User = { username: 'system:anonymous', groups: ['system:unauthenticated'] }

/** Users by bearer token. */
export type StaticTokens = Readonly<Record<string, User>>

/** Tells whose a bearer token is; undefined where it does not know it. */
export type TokenAuthenticator = (token: string) => Promise<User | undefined>

/** Who sends a request: by its client certificate, else by its bearer token, else nobody. */
export class Authenticator {
  readonly #authenticators: readonly TokenAuthenticator[]
  readonly #anonymous: boolean
  readonly #bySocket = new WeakMap<TLSSocket, User | undefined>()

  /**
   * @param authenticators asked in turn, until one knows the token
   * @param anonymous whether requests without credentials are served, as those of `system:anonymous`
   */
  constructor(authenticators: readonly TokenAuthenticator[], anonymous: boolean) {
    this.#authenticators = authenticators
    this.#anonymous = anonymous
  }

  /** Throws a 401 for credentials that are no good, and for none where that is not allowed. */
  async authenticate(socket: TLSSocket, authorization: string | undefined): Promise<User> {
    const certified = this.#certified(socket)
    if (certified) return certified
    const token = /^Bearer\s+(.*)$/i.exec(authorization ?? '')?.[1]
    if (token === undefined && this.#anonymous) return ANONYMOUS
    if (token === undefined) throw unauthorized()
    const user = await this.userOfToken(token)
    if (!user) throw unauthorized()
    return user
  }

  async userOfToken(token: string): Promise<User | undefined> {
    for (const authenticate of this.#authenticators) {
      const user = await authenticate(token)
      if (user) return authenticated(user)
    }
    return undefined
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

/** The users of a list of tokens. */
export const staticTokens =
  (tokens: StaticTokens): TokenAuthenticator =>
  async (token) =>
    Object.hasOwn(tokens, token) ? tokens[token] : undefined

function authenticated(user: User): User {
  return { ...user, groups: [...new Set([...user.groups, 'system:authenticated'])] }
}

function all(value: string | string[] | undefined): string[] {
  return value === undefined ? [] : [value].flat()
}

function first(value: string | string[]): string {
  return all(value)[0] ?? ''
}
