/** Base of what this folder throws. */
class ClustersError extends Error {
  override readonly name: string = 'ClustersError'
  /** Whether the same call may succeed later without anybody changing anything. */
  readonly retryable: boolean = true
}

/** The list of clusters, or a cluster's secret, is not of the documented form. */
export class ClusterConfigError extends ClustersError {
  override readonly name = 'ClusterConfigError'
  override readonly retryable = false
}

/** AWS did not return the address of a cluster, or credentials for it. */
export class ClusterAccessError extends ClustersError {
  override readonly name = 'ClusterAccessError'
  /** Class by which the reconcile function counts the failure. */
  readonly failureClass = 'Unreachable'
}
