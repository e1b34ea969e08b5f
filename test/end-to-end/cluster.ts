/** A cluster for the suites. Its API server is the real one or the embedded one. */
export interface TestCluster {
  /** Kubeconfig text of a user who may do everything: for the test itself. */
  readonly admin: string
  /**
   * Kubeconfig text of the user that Sliceflow runs as, with the rules of infra/rbac/cluster-role.yaml and no
   * more.
   */
  readonly user: string
  /**
   * Takes that user's permission to read pods away, or gives it back; resolves when the server goes by it.
   */
  setPodsReadable(readable: boolean): Promise<void>
  stop(): Promise<void>
}

/**
 * @param name of the cluster in both kubeconfigs
 * @param serviceRanges CIDR blocks of Services' addresses, one a family; default: one of each family
 */
export type StartCluster = (name: string, serviceRanges?: readonly string[]) => Promise<TestCluster>

/** The user that infra/rbac/cluster-role.yaml binds, and the token it has in the suites. */
export const SLICEFLOW_USER = 'sliceflow'
export const SLICEFLOW_TOKEN = 'sliceflow-token'
