/** Credentials for one API server, and the means to know it. */
export interface Credentials {
  /** Headers such as `authorization`; never logged. One with several values is sent once for each. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly ca?: string | Buffer
  readonly cert?: string | Buffer
  readonly key?: string | Buffer
  readonly servername?: string
  /** false only where the kubeconfig says `insecure-skip-tls-verify`. */
  readonly rejectUnauthorized?: boolean
  /** Proxy to the server, by http, https or socks5; default: that of HTTPS_PROXY and NO_PROXY. */
  readonly proxy?: URL
  /** Answers are asked for as they are, and not compressed. Default false. */
  readonly disableCompression?: boolean
  /** Address of the server, if it is found together with the credentials; default: that of the connection. */
  readonly server?: URL
  /** They are renewed before this time, in milliseconds since the epoch; default: only after a 401. */
  readonly expiresAt?: number
}

/** What stands in the place of a cluster's name in keys of cluster sets begins so, and no cluster's name. */
export const CLUSTER_SET_PREFIX = 'clusterset:'

/** Address of a cluster, and our credentials there. */
export interface ClusterConnection {
  /** The name of the cluster in keys, logs and metrics; does not begin with {@link CLUSTER_SET_PREFIX}. */
  readonly name: string
  /** The namespace that the kubeconfig's context names. */
  readonly namespace?: string
  /** An https URL, maybe with a path prefix. If the credentials name the server, it is only for errors. */
  readonly server: URL
  /**
   * Called before the first request, after a 401, and before the credentials expire; if they name the server,
   * also after a request that it did not answer.
   * @param signal aborts when no caller waits for them any more, or at the time limit
   */
  readonly credentials: (signal?: AbortSignal) => Promise<Credentials>
}
