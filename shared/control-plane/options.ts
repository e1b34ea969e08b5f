import type { AuditSink } from './apiserver/http/audit.ts'
import type { RequestLimits } from './apiserver/http/in-flight.ts'
import type { Authorize } from './apiserver/registry/access.ts'
import type { AdmissionPlugin } from './apiserver/registry/admission/types.ts'
import type { ResourceDefinition } from './apiserver/registry/definition/resource-definition.ts'
import type { StorageBackend } from './apiserver/storage/backend.ts'
import type { StaticTokens, TokenAuthenticator } from './auth/security/authentication.ts'
import type { JwtAuthenticatorOptions } from './auth/security/jwt/jwt-authenticator.ts'
import type { RequestHeaderOptions } from './auth/security/request-header.ts'
import type { ControllerName } from './controllers/names.ts'

export interface StorageOptions {
  /**
   * Folder where objects, the certificate authority and the key of service account tokens outlive the
   * process; made if missing. Default: all in memory.
   */
  readonly dataDir?: string
  /** Keeps the objects. Default: SQLite in `dataDir`, else memory. The control plane closes it. */
  readonly backend?: StorageBackend
  /** Number of the latest changes that can be watched and listed again. Default 10000. */
  readonly historyWindow?: number
  /**
   * Length of the JSON texts that the latest changes may take together, in characters: older ones are dropped
   * when they take more. A watch that begins before them gets a 410, as with a compacted etcd. Default
   * 67108864 (2^26).
   */
  readonly historySize?: number
  /** Seconds from its last write to an event's end, as kube-apiserver's `--event-ttl`. Default 3600. */
  readonly eventTtlSeconds?: number
}

/** The APIs that are served. */
export interface ApiOptions {
  /** Resources to serve. Default: the built-in set `services`. */
  readonly resources?: readonly ResourceDefinition[]
  /** CIDR blocks of cluster IPs, primary family first. Default `10.0.0.0/16` and `fd00:10::/108`. */
  readonly serviceRanges?: readonly string[]
  /** True: CustomResourceDefinitions are served, and what they define. Default false. */
  readonly crds?: boolean
  /**
   * True: APIServices are served, one for every group-version, and what they delegate is served by other
   * servers with the user's name. Default false.
   */
  readonly apiServices?: boolean
}

/** Functions that see what happens, and change nothing. */
export interface ObserverOptions {
  /** Called with each answered request, as upstream's audit log of level `Metadata`. Default: not called. */
  readonly audit?: AuditSink
  /** Called with failures of the server's own, whose requests get a 500. Default: not called. */
  readonly onError?: (error: unknown) => void
}

/** Identifies a request's user: by client certificate, else bearer token. Service accounts' always count. */
export interface AuthenticationOptions {
  /** Users by bearer token. Default: none. */
  readonly tokens?: StaticTokens
  /**
   * Functions of your own that return the user of a token, as a webhook would; called in turn for tokens that
   * no other authenticator knows. A failure goes to `observer.onError`, and counts as an unknown token.
   * Default: none.
   */
  readonly authenticators?: readonly TokenAuthenticator[]
  /** Issuers whose tokens count, as those of OpenID Connect. Default: none. */
  readonly jwt?: readonly JwtAuthenticatorOptions[]
  /** PEM of authorities, beside the control plane's own, whose client certificates count. Default: none. */
  readonly clientAuthorities?: readonly string[]
  /** Front proxies, such as API servers before this one, whose headers name a user. Default: none. */
  readonly requestHeader?: RequestHeaderOptions
  /** True: requests without credentials are `system:anonymous`; default: they get a 401, health too. */
  readonly anonymous?: boolean
}

/** The parts of a control plane; every one has a default and can be another. */
export interface ControlPlaneOptions {
  readonly apis?: ApiOptions
  readonly storage?: StorageOptions
  readonly authentication?: AuthenticationOptions
  /**
   * `RBAC`: by the roles and bindings that the server holds, those of every cluster to begin with.
   * Default: authenticated users may do everything, others may read health and version.
   */
  readonly authorization?: 'RBAC' | Authorize
  /**
   * Admission plugins of your own: they see every write of a client (not those of the server's controllers)
   * after the mutating webhooks and before the validating ones. Default: none.
   */
  readonly admission?: readonly AdmissionPlugin[]
  /** Controllers beside the server. Default: `namespace`, `serviceaccount` and `clusterrole-aggregation`. */
  readonly controllers?: readonly ControllerName[]
  /** Bounds of what is served at the same time; above them clients get a 429. */
  readonly limits?: RequestLimits
  readonly observer?: ObserverOptions
}

export interface ListenOptions {
  /** Address to serve on. Default 127.0.0.1. */
  readonly host?: string
  /** Default 0: any free port. */
  readonly port?: number
  /** Further names in the server's certificate, as `databases.shop.svc` of an APIService. Default: none. */
  readonly names?: readonly string[]
  /** Cluster and context in the kubeconfig, so that several can be merged. Default `sliceflow`. */
  readonly context?: string
}
