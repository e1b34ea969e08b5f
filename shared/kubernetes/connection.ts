import type { Agent } from 'node:https'

/** Credentials for one API server, and the means to know it. */
export interface Credentials {
  /** Headers such as `authorization`; never logged. */
  readonly headers: Readonly<Record<string, string>>
  readonly ca?: string | Buffer
  readonly cert?: string | Buffer
  readonly key?: string | Buffer
  readonly servername?: string
  /** false only where the kubeconfig says `insecure-skip-tls-verify`. */
  readonly rejectUnauthorized?: boolean
  /** Agent for clusters behind a proxy; otherwise the transport keeps its own. */
  readonly agent?: Agent
  /**
   * Address of the server, if that is found out together with the credentials; default: the connection's
   * `server`.
   */
  readonly server?: URL
  /** They are asked for anew before this time, in milliseconds since the epoch; default: only after a 401. */
  readonly expiresAt?: number
}

/** Address of a cluster, and our credentials there. */
export interface ClusterConnection {
  /** The name of the cluster in keys, logs and metrics. */
  readonly name: string
  /** The namespace that the kubeconfig's context names. */
  readonly namespace?: string
  /**
   * An https URL; a path prefix is kept. Where the credentials tell the server, only a name for it in errors.
   */
  readonly server: URL
  /**
   * Asked before the first request, again after a 401, and before they expire where they say when; where they
   * tell the server, also after a request that it did not answer.
   * @param signal aborts when nobody waits for them any more, or they took too long
   */
  readonly credentials: (signal?: AbortSignal) => Promise<Credentials>
}
