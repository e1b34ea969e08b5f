import type { Service } from '../../endpointslice/index.ts'
import type { FleetPolicy } from '../policy/fleet-policy.ts'
import type { Condition, ServiceExport, ServiceImportSpec } from '../resources.ts'

/** Export of a Service by one cluster of the set. */
export interface ClusterExport {
  /** The cluster's id in the set. */
  readonly cluster: string
  readonly export: ServiceExport
  /** Undefined where there is none of this name. */
  readonly service: Service | undefined
}

/** Service that all clusters of a set import. */
export interface MergedService {
  /** Spec without addresses: each cluster gives its own. */
  readonly spec: Omit<ServiceImportSpec, 'ips' | 'ipFamilies'>
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  /** Absent: every cluster publishes every endpoint. */
  readonly policy?: FleetPolicy
  /** Ids of the clusters whose exports are valid, in the order of their exports' age. */
  readonly clusters: readonly string[]
}

/** A condition without what depends on the ServiceExport that it is written on. */
export type WantedCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

/** Result of merging the exports of one Service. */
export interface Merge {
  /** What all exports make together; undefined where none is valid. */
  readonly merged: MergedService | undefined
  /** Returns what one cluster imports: of its own export and those that reach it; undefined for nothing. */
  readonly importedBy: (importer: string) => MergedService | undefined
  /** Conditions of each ServiceExport by the cluster's id: `Valid`, and `Conflict` where it is valid. */
  readonly wantedConditions: ReadonlyMap<string, readonly WantedCondition[]>
  /** Clusters whose valid exports have parts that are left out, and those parts as `Valid` names them. */
  readonly leftOut: ReadonlyMap<string, string>
}
