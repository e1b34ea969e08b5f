import { errorMessage } from '../../values/index.ts'
import { type ClientRole, type Grant, grantAdvice, grantOf } from './grant-advice.ts'

/** The part of a Kubernetes `Status` object that an error is made of (meta/v1). */
export interface Status {
  readonly message?: string
  readonly reason?: string
  readonly code?: number
  readonly details?: {
    readonly name?: string
    readonly kind?: string
    readonly retryAfterSeconds?: number
    readonly causes?: readonly {
      readonly reason?: string
      readonly message?: string
      readonly field?: string
    }[]
  }
}

/** Base of everything that this library throws on purpose. */
export class KubernetesError extends Error {
  override readonly name: string = 'KubernetesError'
  /** Whether the same call may succeed later without anybody changing anything. */
  readonly retryable: boolean = true
}

/** A kubeconfig that cannot be used: not there, not readable, or without what was asked for. */
export class KubeconfigError extends KubernetesError {
  override readonly name = 'KubeconfigError'
  override readonly retryable = false
}

/** No answer came: refused, reset, timed out, or a TLS handshake that failed. */
export class ConnectionError extends KubernetesError {
  override readonly name = 'ConnectionError'
  /** Node's code, such as `ECONNREFUSED`. */
  readonly code: string

  constructor(message: string, code: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** The server accepts connections, and has said nothing for a while on any of them. */
export class SilentServerError extends ConnectionError {
  readonly silentMs: number

  constructor(message: string, silentMs: number, cause?: unknown) {
    super(message, 'ETIMEDOUT', cause)
    this.silentMs = silentMs
  }
}

/** A call that is not to be made for a while. */
class DeferredError extends KubernetesError {
  /** Delay from now on. */
  readonly retryAfterSeconds: number

  constructor(message: string, retryAfterSeconds: number, cause?: unknown) {
    super(message, { cause })
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The call was not made, as this process has made too many or the server asked to wait. */
export class ThrottledError extends DeferredError {
  override readonly name = 'ThrottledError'
}

/** The cluster has not answered several times in a row: the call was not made, or was one of those. */
export class CircuitOpenError extends DeferredError {
  override readonly name = 'CircuitOpenError'
}

/** The API server's refusal. `code` is the HTTP status, `reason` the Status' reason. */
export class ApiError extends KubernetesError {
  override readonly name: string = 'ApiError'
  readonly code: number
  readonly reason: string
  readonly status: Status
  /** Time that the server asked to wait, in seconds; from Retry-After or the Status. */
  readonly retryAfterSeconds: number | undefined
  override readonly retryable: boolean

  constructor(message: string, code: number, status: Status, retryAfterSeconds?: number) {
    super(message)
    this.code = code
    this.reason = status.reason ?? ''
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds ?? status.details?.retryAfterSeconds
    this.retryable = code >= 500 || code === 401 || code === 409 || code === 410 || code === 429
  }
}

/** 401: the credentials were refused, also after they had been loaded again. */
export class UnauthorizedError extends ApiError {
  override readonly name = 'UnauthorizedError'
}
/** 403: the user lacks a permission, or an admission plugin refused. */
export class ForbiddenError extends ApiError {
  override readonly name = 'ForbiddenError'
  /** What was refused, in words; the message says how to grant it as well. */
  readonly refusal: string = this.message
  /** Roles that grant it; absent where admission refused. */
  grant: Grant | undefined
}
/** Returns the causes of the API server's refusal; none of another error. */
export const causesOf = (error: unknown): NonNullable<NonNullable<Status['details']>['causes']> =>
  error instanceof ApiError ? (error.status.details?.causes ?? []) : []

/** Reports whether nothing may be created, as the namespace is being deleted. */
export const isNamespaceTerminating = (error: unknown): boolean =>
  causesOf(error).some(({ reason }) => reason === 'NamespaceTerminating')

/** 404: the object, or the kind, does not exist. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError'
}
/**
 * Reports whether the API server itself said that it has no object of this name. Neither a proxy's 404 says
 * that, nor one for a version of the API that is not served any more.
 */
export const isAbsentObject = (error: unknown, name: string | undefined): boolean =>
  error instanceof NotFoundError && error.reason === 'NotFound' && error.status.details?.name === name
/** 409: the object was changed meanwhile, or exists already (see `reason`). */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError'
}
/** 410: the resourceVersion or continue token is too old; list again. */
export class ExpiredError extends ApiError {
  override readonly name = 'ExpiredError'
}
/** 504: the version is above all that the server knows: its cache lags, or it is another cluster. */
export class TooLargeVersionError extends ApiError {
  override readonly name = 'TooLargeVersionError'
}

const CLASSES: Readonly<Record<number, typeof ApiError>> = {
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  410: ExpiredError,
}

const UNAUTHORIZED =
  'check the token or certificate of this user (kubeconfig, secret), or the access entry of its role (EKS)'

/**
 * Makes the typed error for a refused request.
 * @param action verb and object, such as `list Pods in cluster a`
 */
export function apiError(action: string, code: number, status: Status, retryAfterSeconds?: number): ApiError {
  const text = status.message ?? `HTTP status ${code}`
  const advice = code === 401 ? UNAUTHORIZED : undefined
  const message = `failed to ${action}: ${text}${advice === undefined ? '' : `; ${advice}`}`
  return new (classOf(code, status))(message, code, status, retryAfterSeconds)
}

/**
 * Adds to the message of a 403 which command grants what lacks.
 * @param role roles that the client goes by; default: those of relay and functions
 */
export function withGrantAdvice(error: ApiError, role: ClientRole = 'function'): ApiError {
  if (!(error instanceof ForbiddenError)) return error
  error.grant = grantOf(error.refusal, role)
  if (error.grant !== undefined) error.message += `; ${grantAdvice(error.grant)}`
  return error
}

function classOf(code: number, { details }: Status): typeof ApiError {
  const isTooLarge = details?.causes?.some(({ reason }) => reason === 'ResourceVersionTooLarge') === true
  return isTooLarge ? TooLargeVersionError : (CLASSES[code] ?? ApiError)
}

const FOREIGN_CERTIFICATE = 'the server’s certificate is not signed by the certificate authority given for it'

const CONNECTION_ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: is the API server up, and its address right?',
  ENOTFOUND: 'the host name is unknown: is the address right?',
  EAI_AGAIN: 'the host name could not be looked up: is DNS reachable?',
  ETIMEDOUT: 'no answer: is the API server reachable from here?',
  ECONNRESET: 'the connection was cut',
  CERT_SIGNATURE_FAILURE: FOREIGN_CERTIFICATE,
  DEPTH_ZERO_SELF_SIGNED_CERT: FOREIGN_CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: FOREIGN_CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: FOREIGN_CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: FOREIGN_CERTIFICATE,
  ERR_TLS_CERT_ALTNAME_INVALID: 'the server’s certificate is for another host name',
  CERT_HAS_EXPIRED: 'the server’s certificate has expired',
}

/** Codes of Node's and OpenSSL's for certificates and keys that are not trusted, or cannot be used. */
const DISTRUST = /CERT|SIGNATURE|^EPROTO$|^ERR_(SSL|OSSL|TLS)_/

/** Reports whether a server was reached, and one side did not take the other for what it should be. */
export const isDistrust = ({ code }: ConnectionError): boolean => DISTRUST.test(code)

/** What OpenSSL says with a code of Node's: numbers, places in its sources, and, as the group, the reason. */
const OPENSSL = /:SSL routines:[^:]*:([^:]+):/

/**
 * Wraps what Node says of a broken connection; the address is named, credentials never are.
 * @param way the server that did not answer, and the name of the proxy on the way there
 */
export function connectionError(
  action: string,
  { server, proxy }: { readonly server: URL; readonly proxy?: string },
  cause: unknown,
): ConnectionError {
  const code = errorCode(cause)
  const message = errorMessage(cause)
  const [, reason] = OPENSSL.exec(message) ?? []
  const text = reason === undefined ? message : `${reason}: is that the https port of an API server?`
  if (proxy !== undefined && (cause as { proxy?: unknown } | null)?.proxy === proxy)
    return new ConnectionError(
      `failed to ${action}: ${code} at the proxy ${proxy}, before the server ${server.host} was asked: ${PROXY_ADVICE[code] ?? text}`,
      code,
      cause,
    )
  const way = proxy === undefined ? '' : ` through the proxy ${proxy}`
  return new ConnectionError(
    `failed to ${action}: ${code} at ${server.host}${way}: ${CONNECTION_ADVICE[code] ?? text}`,
    code,
    cause,
  )
}

const PROXY_ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: is the proxy up, and its address (proxy-url, HTTPS_PROXY) right?',
  ENOTFOUND: 'its host name is unknown: is its address (proxy-url, HTTPS_PROXY) right?',
  EAI_AGAIN: 'its host name could not be looked up: is DNS reachable?',
  ECONNRESET: 'it cut the connection',
}

function errorCode(cause: unknown): string {
  const code = (cause as { code?: unknown } | null)?.code
  return typeof code === 'string' && code !== '' ? code : 'ECONNECTION'
}
