/** The list of clusters, or a cluster's secret, is not of the documented form. */
export class ClusterConfigError extends Error {
  override readonly name = 'ClusterConfigError'
  /** The same call fails until somebody changes something. */
  readonly retryable = false
}

/** AWS did not return the address of a cluster, or credentials for it. */
export class ClusterAccessError extends Error {
  override readonly name = 'ClusterAccessError'
  readonly retryable = true
  /** Class by which the reconcile function counts the failure. */
  readonly failureClass = 'Unreachable'
}
