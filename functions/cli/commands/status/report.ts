import type { SecondControllerStatus } from '../../../local/index.ts'
import type { RelayReport } from '../../read-relay.ts'

/**
 * Document that `sliceflow status -o json` prints. Fields are only ever added to a version. Times are RFC
 * 3339.
 */
export interface StatusReport {
  readonly version: 1
  /** False when there are problems; the exit code is 1 then. */
  readonly healthy: boolean
  readonly problems: readonly string[]
  readonly clusters: readonly ClusterReport[]
  /** Absent when no relay was named. */
  readonly relay?: RelayReport
  /** Absent when no queue was named. */
  readonly queues?: readonly QueueReport[]
}

export type ClusterReport = ReachableCluster | UnreachableCluster

export interface UnreachableCluster {
  readonly name: string
  readonly reachable: false
  readonly error: string
}

export interface ReachableCluster {
  readonly name: string
  readonly reachable: true
  /** Version of the API server, such as `v1.36.4`. */
  readonly serverVersion: string
  /** Services managed in this mode, and those with slices of ours that mirror Endpoints. */
  readonly services: number
  /** Services that ask to be managed with an invalid annotation. */
  readonly invalid: readonly string[]
  /** Value of the label managed-by that slices of ours have. */
  readonly managedBy: string
  /** Ours: those with the managed-by value. */
  readonly slices: number
  readonly endpoints: number
  /** Slices of ours whose Service is gone, or not managed any more though leftovers are to be deleted. */
  readonly orphans: readonly string[]
  /** Managed Services that the in-tree controller has slices of too. */
  readonly doublyManaged: readonly string[]
  /**
   * Slices that we made with other settings and that nothing updates: those with another managed-by value,
   * and those of Services that this mode does not manage.
   */
  readonly leftBehind: readonly { readonly slice: string; readonly managedBy: string }[]
  /** Managed Services with a plan that is held because it removes too many ready endpoints. */
  readonly held: readonly string[]
  /** Slices of ours that are left alone for a while, since somebody edits them after every repair. */
  readonly fights: readonly string[]
  /**
   * Controllers that have written slices of ours in the last minutes, each with the Service that it wrote
   * last. Where the relay of the cluster was named, its report has them, which knows since when we run.
   */
  readonly secondControllers: readonly SecondControllerStatus[]
  readonly check: CheckReport
}

/** Result of looking at Services one by one. */
export interface CheckReport {
  /**
   * `plan`: whether there is something to write; `shadow`: whether what all managers publish differs from
   * what we would.
   */
  readonly kind: 'plan' | 'shadow'
  readonly checked: number
  /** Number of Services of which these were chosen. */
  readonly total: number
  /** Keys that differed at both of two looks, as `namespace/name`, and how. */
  readonly outdated: readonly { readonly key: string; readonly differences: readonly string[] }[]
  /** Keys that could not be looked at, and why. */
  readonly failed: readonly { readonly key: string; readonly error: string }[]
}

export interface QueueReport {
  readonly queue: 'live' | 'sweep' | 'dead-letters'
  readonly url: string
  /** Lane of these dead letters, if they were found by it. */
  readonly lane?: 'live' | 'sweep'
  readonly error?: string
  readonly waiting?: number
  /** Received and not finished. */
  readonly inFlight?: number
  /** Postponed, such as failed keys that wait for another attempt. */
  readonly delayed?: number
  /**
   * Time at which the oldest dead letter was given up; absent for other queues. SQS tells it of other queues
   * to CloudWatch only.
   */
  readonly oldest?: string
  /** Dead letters by class; absent for other queues. */
  readonly classes?: Readonly<Record<string, number>>
}
