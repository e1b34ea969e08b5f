/**
 * Names the objects that a sync of a key has to read: the Pods that changed, and the EndpointSlices that hold
 * them or have room for them. It is never taken for a fact: the function reads each of these objects, and if
 * they do not suffice, the whole Service.
 */
export interface Hint {
  /** Names of the Pods, in the Service's namespace and cluster; 1 to {@link HINTED_PODS}. */
  readonly pods: readonly string[]
  /**
   * Names of the slices that hold the Pods, and of some that have room for them; 1 to {@link HINTED_SLICES}.
   */
  readonly slices: readonly string[]
  /** The versions of these slices, in the same order, as far as the relay saw. Absent: they are not known. */
  readonly sliceVersions?: readonly string[]
  /**
   * The version up to which the relay has seen the cluster's slices. Those of the Service that are not named
   * here and have no later version hold none of the Pods.
   */
  readonly slicesVersion: string
  /** Pods that the Service selects, where the relay counts them: with `maximumEndpoints`. */
  readonly selected?: number
}

/** Fields of a message beside its key and its cause. */
export interface KeyHints {
  /** Absent: a full sync is needed. */
  readonly hint?: Hint
  /**
   * The newest version at which a Node of the cluster came, went or changed its zone, as far as the relay
   * saw.
   */
  readonly nodesVersion?: string
  /** The version of the Service, as far as the relay saw. */
  readonly serviceVersion?: string
  /**
   * True if the relay verifies: it compares what is written of the Service with its Pods, and its key is
   * changed again if that is not right.
   */
  readonly relayVerifies?: true
}

/** Above this number of Pods one list of the Service's costs less than a read of each. */
export const HINTED_PODS = 64
/** Above this number of slices, of 100 endpoints each, a message and its sync would not be small any more. */
export const HINTED_SLICES = 12
