import type { Agent } from 'node:https'

/** How to present ourselves to one API server, and how to know it. */
export interface Credentials {
  /** Such as `authorization`; never logged. */
  readonly headers: Readonly<Record<string, string>>
  readonly ca?: string | Buffer
  readonly cert?: string | Buffer
  readonly key?: string | Buffer
  readonly servername?: string
  /** false only where the kubeconfig says `insecure-skip-tls-verify`. */
  readonly rejectUnauthorized?: boolean
  /** For clusters behind a proxy; otherwise the transport keeps its own. */
  readonly agent?: Agent
}

/** Where a cluster is, and who we are there. */
export interface ClusterConnection {
  /** The name of the cluster in keys, logs and metrics. */
  readonly name: string
  /** An https URL; a path prefix is kept. */
  readonly server: URL
  /** Asked before the first request and again after a 401. */
  readonly credentials: () => Promise<Credentials>
}
