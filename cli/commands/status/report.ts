import type { RelayReport } from '../../deployment/read-relay.ts'
import type { ClusterInventory } from '../../inventory/read-inventory.ts'

/** What `sliceflow status -o json` prints. Fields are only ever added to a version. Times are RFC 3339. */
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

interface UnreachableCluster {
  readonly name: string
  readonly reachable: false
  readonly error: string
}

export interface ReachableCluster extends ClusterInventory {
  readonly reachable: true
  readonly check: CheckReport
}

/** Result of checking Services one by one. */
export interface CheckReport {
  /** `plan`: there is something to write; `shadow`: what all managers publish differs from our plan. */
  readonly kind: 'plan' | 'shadow'
  readonly checked: number
  /** Number of Services of which these were chosen. */
  readonly total: number
  /** Keys that differed in both checks, as `namespace/name`, and how. */
  readonly outdated: readonly { readonly key: string; readonly differences: readonly string[] }[]
  /** Keys that could not be checked, and why. */
  readonly failed: readonly { readonly key: string; readonly error: string }[]
}

/** A queue of keys. */
export type KeyQueueName = 'live' | 'sweep' | 'view-publisher'

export interface QueueReport {
  readonly queue: KeyQueueName | 'dead-letters'
  readonly url: string
  /** Queue of these dead letters, if they were found by it. */
  readonly lane?: KeyQueueName
  readonly error?: string
  readonly waiting?: number
  /** Received and not finished. */
  readonly inFlight?: number
  /** Postponed, such as failed keys that wait for another attempt. */
  readonly delayed?: number
  /** When the oldest dead letter arrived; absent for other queues, whose age SQS gives only to CloudWatch. */
  readonly oldest?: string
  /** Dead letters by class; absent for other queues. */
  readonly classes?: Readonly<Record<string, number>>
}

/** Formats counts by name: `Forbidden 2, Conflict 1`. */
export const countsText = (counts: Readonly<Record<string, number>> = {}): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')
