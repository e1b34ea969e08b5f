import type { AddressType } from '../../../shared/endpointslice/index.ts'
import type { Condition, ImportType, LeftOut } from '../../../shared/fleet/index.ts'

/**
 * Document that `sliceflow explain --fleet -o json` prints. Fields are only ever added to a version. Clusters
 * are named by their ids in the set and stand in its order. Times are RFC 3339.
 */
export interface FleetReport {
  readonly version: 1
  readonly clusterSet: string
  readonly namespace: string
  readonly service: string
  /** Content of the imports; absent where no export is valid. */
  readonly merged?: MergedReport
  readonly exports: readonly ExportReport[]
  readonly imports: readonly ImportReport[]
  /** Endpoints of the exported Services, in all clusters that could be read. */
  readonly endpoints: readonly FleetEndpoint[]
  /** Problems that need attention, such as a cluster that cannot be read. */
  readonly warnings: readonly string[]
}

export interface MergedReport {
  readonly type: ImportType
  /** Port names and numbers, such as `http 80/TCP`. */
  readonly ports: readonly string[]
  /** Clusters whose exports are valid, the oldest first: it wins where they differ. */
  readonly clusters: readonly [string, ...string[]]
  /** Policy of the imports, from the oldest export; absent where there is none. */
  readonly policy?: PolicyReport
}

/** Fields of the annotation `sliceflow.dev/fleet-policy`, with their defaults. */
export interface PolicyReport {
  readonly prefer?: 'own'
  /** Shares in %; absent where nothing is preferred. */
  readonly failoverBelow?: number
  readonly returnAt?: number
  /** Shares in % by cluster. */
  readonly weights: Readonly<Record<string, number>>
}

/**
 * `Exported`: its Service is part of the import. `Invalid`: there is an export, and nothing to import from
 * it. `Absent`: there is none. `None`: the cluster only imports. `Unserved`: it does not serve the API.
 * `Unread`: it could not be read.
 */
export type ExportState = 'Exported' | 'Invalid' | 'Absent' | 'None' | 'Unserved' | 'Unread'

export interface ExportReport {
  readonly cluster: string
  /** Name of the cluster in keys and logs: its kubeconfig context. */
  readonly context: string
  readonly state: ExportState
  /** Reason for the state, as a clause. */
  readonly reason: string
  /** Creation time of the ServiceExport. */
  readonly created?: string
  /** Whether it is the oldest valid export. */
  readonly wins: boolean
  /** Desired conditions; if `areConditionsWritten` is false, they are not written yet. */
  readonly conditions: readonly Condition[]
  readonly areConditionsWritten: boolean
}

/**
 * `Imported`: it is there, as it ought to be. `Pending`: a reconcile would write. `Blocked`: something stands
 * in the way. `Absent`: there is nothing to import. `None`: the cluster only exports. `Unserved`, `Unread`:
 * as of exports.
 */
export type ImportState = 'Imported' | 'Pending' | 'Blocked' | 'Absent' | 'None' | 'Unserved' | 'Unread'

export interface ImportReport {
  readonly cluster: string
  readonly context: string
  readonly state: ImportState
  readonly reason: string
  /** Addresses of the ServiceImport; none of a headless one. */
  readonly ips: readonly string[]
  /** Absent of a headless import. */
  readonly derivedService?: string
  /** Endpoints by the cluster that they are in. */
  readonly sources: readonly SourceReport[]
  /** Cluster's own endpoints by port and family, where the policy prefers them; else absent. */
  readonly own?: readonly OwnReport[]
  /** Clusters that serve it by port and family, where the export selects clusters; else absent. */
  readonly serving?: readonly ServingReport[]
  readonly writes: readonly WriteReport[]
}

export interface SourceReport {
  readonly cluster: string
  /** Imported slices that there are by now. */
  readonly slices: number
  /** Endpoints that the cluster exports, be they left out, and those that are still imported. */
  readonly endpoints: number
  /** Imported endpoints that are ready. */
  readonly ready: number
}

export interface OwnReport {
  readonly family: AddressType
  /** Name of the port; empty where it has none. */
  readonly port: string
  readonly ready: number
  /** Number of endpoints that ought to be ready: all but terminating ones. */
  readonly known: number
  /** True if endpoints of other clusters are published as well. */
  readonly isFailedOver: boolean
}

export interface ServingReport {
  readonly family: AddressType
  /** Name of the port; empty where it has none. */
  readonly port: string
  /** Position of the selector; absent where none of them selects a cluster that has an endpoint. */
  readonly selector?: number
  /** Ids of the clusters that serve. */
  readonly clusters: readonly string[]
}

/** A write that a reconcile would do. */
export interface WriteReport {
  readonly verb: 'create' | 'update' | 'delete'
  readonly kind: string
  readonly name: string
  /** Part of the object, such as `status`. */
  readonly subresource?: string
}

export interface FleetEndpoint {
  /** The cluster that it is in. */
  readonly cluster: string
  /** Name of the Pod, else its host name or address. */
  readonly name: string
  readonly addressType: AddressType
  readonly addresses: readonly string[]
  readonly ready: boolean
  readonly serving: boolean
  readonly terminating: boolean
  readonly zone?: string
  /** Slice that it stands in in its own cluster. */
  readonly slice: string
  /** Reason why it is imported nowhere; absent where it may be. */
  readonly leftOut?: LeftOut
  /** Arrivals in every cluster that imports. */
  readonly arrivals: readonly Arrival[]
}

/**
 * `Published`: a slice there has it. `Pending`: a reconcile would write it. `Leaving`: a reconcile would take
 * it away. `LeftOut`: it is not there, and does not come.
 */
export type ArrivalOutcome = 'Published' | 'Pending' | 'Leaving' | 'LeftOut'

export interface Arrival {
  readonly cluster: string
  readonly outcome: ArrivalOutcome
  /** Names of the slices that have it. */
  readonly slices: readonly string[]
  readonly reasons: readonly string[]
}
