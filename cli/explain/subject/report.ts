import type { ServiceKey } from '../../../shared/changes/index.ts'
import type { EndpointOutcome, SliceWrite } from '../../../shared/endpointslice/index.ts'
import type { Mode } from '../../../shared/settings/index.ts'
import type { Arrival } from '../fleet/report.ts'
import type { Management } from '../report.ts'

/** Subject of a question: Pods of a name, a Node, or an address in its canonical form. */
export interface Subject {
  readonly kind: 'Pod' | 'Node' | 'Address'
  readonly name: string
  readonly namespace?: string
}

/**
 * Document that `sliceflow explain pod/NAME -o json` prints, and the same for `node/NAME` and an address.
 * Fields are only ever added to a version. Times are RFC 3339.
 */
export interface SubjectReport {
  readonly version: 1
  readonly subject: Subject
  readonly clusters: readonly string[]
  readonly mode: Mode
  readonly managedBy: string
  /** Nodes of the name, or with the address; absent if a Pod was asked for. */
  readonly nodes?: readonly NodeReport[]
  /** Pods that fit, and addresses that are published and belong to no Pod. */
  readonly objects: readonly ObjectReport[]
  /** Further facts about the subject, such as that an address is the clusterIP of a Service. */
  readonly notes: readonly string[]
  /** Problems that need attention, such as a cluster that could not be read. */
  readonly warnings: readonly string[]
  /** Events of it in the order of time; absent without a recording. */
  readonly recorded?: readonly RecordedEvent[]
}

export interface NodeReport {
  readonly cluster: string
  readonly name: string
  readonly addresses: readonly string[]
  readonly zone?: string
  /** Absent if the Node does not say. */
  readonly ready?: ReadyReport
  readonly isUnschedulable: boolean
}

export interface ReadyReport {
  readonly status: string
  readonly reason?: string
  readonly since?: string
}

export interface ObjectReport {
  readonly kind: 'Pod' | 'Address'
  /** Cluster of the Pod, or of the slice that has the address. */
  readonly cluster: string
  /** Empty for an address. */
  readonly namespace: string
  readonly name: string
  /** False for a Pod that only slices name. */
  readonly exists: boolean
  readonly addresses: readonly string[]
  readonly node?: string
  readonly phase?: string
  readonly created?: string
  readonly ready?: ReadyReport
  /** Period of a graceful deletion; absent unless it was deleted. */
  readonly deletion?: { readonly since: string; readonly until: string }
  readonly isOnHostNetwork?: true
  readonly notes: readonly string[]
  /** Services whose slices have it, that select it, or whose selectors nearly do. */
  readonly services: readonly PublicationReport[]
  /** Number of further Services of the namespace whose selectors do not match it. */
  readonly furtherServices: number
}

/**
 * As of endpoints of a Service, and: `Leaving`: a slice has it, and the plan takes it out. `Foreign`: only
 * slices of another manager have it. `Imported`: slices of a cluster set have it. `NotSelected`: the
 * selector does not match the Pod. `Unknown`: the Service could not be read.
 */
export type PublicationOutcome =
  | EndpointOutcome
  | 'Leaving'
  | 'Foreign'
  | 'Imported'
  | 'NotSelected'
  | 'Unknown'

export interface PublicationReport extends ServiceKey {
  readonly outcome: PublicationOutcome
  /** Clauses. */
  readonly reasons: readonly string[]
  /** Slices that have it now, by any manager. */
  readonly slices: readonly PublishingSlice[]
  /** Absent of imports, of Services that do not select it, and of those that could not be read. */
  readonly management?: Management
  readonly warnings: readonly string[]
  /** Time of its last change; absent if it is unknown. */
  readonly since?: Since
  /** The same endpoint in a cluster set; absent if none was requested. */
  readonly fleet?: FleetPlace
}

/** `Recording`: exactly since then. `Slice`: its slice was last written then, so at least since then. */
export interface Since {
  readonly time: string
  readonly by: 'Recording' | 'Slice'
}

export interface PublishingSlice {
  readonly name: string
  /** Empty without the label. */
  readonly managedBy: string
  readonly addressType: string
  readonly addresses: readonly string[]
  readonly ready: boolean
  readonly serving: boolean
  readonly terminating: boolean
  /** The cluster that an imported endpoint is in, by its id in the set. */
  readonly sourceCluster?: string
  readonly lastWrite?: SliceWrite
}

export interface FleetPlace {
  readonly clusterSet: string
  readonly arrivals: readonly Arrival[]
  /** Conflicts of its export, and what is wrong with it. */
  readonly notes: readonly string[]
}

export interface RecordedEvent extends ServiceKey {
  readonly time: string
  readonly slice: string
  readonly event: 'Came' | 'Found' | 'Left' | 'Moved' | 'Changed'
  readonly addresses: readonly string[]
  readonly pod?: string
  /** Why it left; absent if another client removed it. */
  readonly cause?: string
  /** Worker that wrote the slice, or that noticed. */
  readonly worker: string
  readonly text: string
}
