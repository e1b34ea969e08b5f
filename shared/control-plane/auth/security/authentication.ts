import { hash, type X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { unauthorized } from '../../apimachinery/errors/factories.ts'
import { ownMember } from '../../apimachinery/json/values.ts'
import type { User } from '../../apiserver/registry/access.ts'
import { certificatesOf, isIssuedBy } from './certificate-chain.ts'
import { type RequestHeaderOptions, userOfHeaders } from './request-header.ts'

export const ANONYMOUS: User = { username: 'system:anonymous', groups: ['system:unauthenticated'] }

/** Users by bearer token. */
export type StaticTokens = Readonly<Record<string, User>>

/** Returns the user of a bearer token; undefined if it does not know the token. */
export type TokenAuthenticator = (token: string) => User | undefined | Promise<User | undefined>

interface AuthenticatorOptions {
  /** Asked in turn, until one knows the token. */
  readonly tokens: readonly TokenAuthenticator[]
  /** Whether requests without credentials are served, as those of `system:anonymous`. */
  readonly anonymous: boolean
  /** PEM of the authorities whose client certificates count. */
  readonly clientAuthorities: readonly string[]
  /** Front proxies whose headers count. */
  readonly requestHeader?: RequestHeaderOptions | undefined
}

/** Whom a connection's certificate stands for. */
interface Certified {
  /** Undefined without a certificate, and with one that has no common name. */
  readonly user?: User
  /** True where its headers count. */
  readonly isFrontProxy: boolean
  /** False for a certificate of a front proxy's authority, or of an unknown one. */
  readonly isTrusted: boolean
}

/** Authenticates requests by front proxy headers, client certificate or bearer token, else as anonymous. */
export class Authenticator {
  readonly #options: AuthenticatorOptions
  readonly #clients: readonly X509Certificate[]
  readonly #frontProxies: readonly X509Certificate[]
  readonly #bySocket = new WeakMap<TLSSocket, Certified>()

  constructor(options: AuthenticatorOptions) {
    this.#options = options
    this.#clients = options.clientAuthorities.flatMap(certificatesOf)
    this.#frontProxies = options.requestHeader?.clientAuthorities.flatMap(certificatesOf) ?? []
  }

  /** Throws a 401 for credentials that are no good, and for none where that is not allowed. */
  async authenticate(socket: TLSSocket, request: IncomingMessage): Promise<User> {
    const { anonymous, requestHeader } = this.#options
    const { user: certified, isFrontProxy, isTrusted } = this.#certified(socket)
    const named = isFrontProxy && requestHeader ? userOfHeaders(request, requestHeader) : undefined
    if (named) return isNobody(named) ? named : authenticated(named)
    if (!isTrusted) throw unauthorized()
    if (certified) return certified
    const token = bearerToken(request.headers.authorization ?? '')
    if (token === undefined && anonymous) return ANONYMOUS
    if (token === undefined) throw unauthorized()
    const user = await this.userOfToken(token)
    if (!user) throw unauthorized()
    return user
  }

  async userOfToken(token: string): Promise<User | undefined> {
    for (const authenticate of this.#options.tokens) {
      const user = await authenticate(token)
      if (user) return authenticated(user)
    }
    return undefined
  }

  /** Returns who a connection's certificate is for; cached, as a connection never changes it. */
  #certified(socket: TLSSocket): Certified {
    const known = this.#bySocket.get(socket)
    if (known) return known
    const certified = this.#judge(socket)
    this.#bySocket.set(socket, certified)
    return certified
  }

  /** Judges a certificate. TLS has checked it against the authorities of clients and front proxies. */
  #judge(socket: TLSSocket): Certified {
    const subject = socket.getPeerCertificate?.()?.subject
    if (!subject) return { isFrontProxy: false, isTrusted: true }
    if (!socket.authorized) return { isFrontProxy: false, isTrusted: false }
    const name = lastOf(subject.CN)
    const certificate = socket.getPeerX509Certificate?.()
    const extra = certificate ? { extra: credentialOf(certificate) } : {}
    const certified = authenticated({ username: name, groups: all(subject.O), ...extra })
    const user = name === '' ? {} : { user: certified }
    if (!this.#options.requestHeader || !certificate) return { ...user, isFrontProxy: false, isTrusted: true }
    const { allowedNames = [] } = this.#options.requestHeader
    const isAllowed = allowedNames.length === 0 || allowedNames.includes(name)
    return {
      ...user,
      isFrontProxy: isAllowed && isIssuedBy(certificate, this.#frontProxies),
      isTrusted: isIssuedBy(certificate, this.#clients),
    }
  }
}

/** Creates an authenticator of a list of tokens. */
export const staticTokens =
  (tokens: StaticTokens): TokenAuthenticator =>
  async (token) =>
    ownMember(tokens, token)

/** Creates an authenticator whose failures are reported. The token then counts as unknown. */
export const tellingFailures =
  (authenticate: TokenAuthenticator, onError: (error: unknown) => void): TokenAuthenticator =>
  async (token) => {
    try {
      return await authenticate(token)
    } catch (error) {
      onError(error)
      return undefined
    }
  }

/** Names the certificate as upstream does in reviews and in the audit log. */
function credentialOf({ raw }: X509Certificate): Record<string, readonly string[]> {
  return { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${hash('sha256', raw)}`] }
}

/** Reports whether a user is anonymous. A front proxy passes on anonymous requests too. */
function isNobody({ username, groups }: User): boolean {
  return username === ANONYMOUS.username || groups.includes('system:unauthenticated')
}

function authenticated(user: User): User {
  return { ...user, groups: [...new Set([...user.groups, 'system:authenticated'])] }
}

function all(value: string | string[] | undefined): string[] {
  return value === undefined ? [] : [value].flat()
}

/** Returns the last of several common names, as Go does and so kube-apiserver. */
function lastOf(value: string | string[] | undefined): string {
  return all(value).at(-1) ?? ''
}

/** Returns what follows the first space, as upstream reads it; undefined if that is nothing. */
function bearerToken(authorization: string): string | undefined {
  const [scheme = '', token = ''] = authorization.trim().split(' ')
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined
}
