/** User who sends a request. */
export interface User {
  readonly username: string
  readonly groups: readonly string[]
  readonly uid?: string
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** Request for a permission, as authorizers are asked. It has either a resource or a path. */
export interface RequestAttributes {
  readonly user: User
  /**
   * `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; the method in lower
   * case for paths.
   */
  readonly verb: string
  readonly path: string
  readonly resourceRequest: boolean
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

export interface Decision {
  readonly allowed: boolean
  /** Reason in words for people; access reviews show it. */
  readonly reason?: string
}

/** Answers at once: what it goes by is at hand, as the rules of RBAC are. What it throws is a 500. */
export type Authorize = (attributes: RequestAttributes) => boolean | Decision

/** Returns the decision of an authorizer, which may answer with true or false alone. */
export function decide(authorize: Authorize, attributes: RequestAttributes): Decision {
  const decision = authorize(attributes)
  return typeof decision === 'boolean' ? { allowed: decision } : decision
}

/** Issuer of service accounts' tokens, as kubeadm sets it; the server's own audience is the same. */
export const ISSUER = 'https://kubernetes.default.svc.cluster.local'

/** Claims of a service account's token (bound service account tokens, KEP-1205). */
export interface TokenClaims {
  readonly account: { readonly namespace: string; readonly name: string; readonly uid: string }
  readonly audiences: readonly string[]
  /** Milliseconds since 1970. */
  readonly now: number
  readonly expirationSeconds: number
  /** The object whose deletion ends the token. */
  readonly boundTo?: { readonly kind: 'Node' | 'Pod' | 'Secret'; readonly name: string; readonly uid: string }
}
