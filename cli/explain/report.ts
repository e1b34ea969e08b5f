import type {
  AddressType,
  EndpointExplanation,
  HintExplanation,
  SliceExplanation,
} from '../../shared/endpointslice/index.ts'
import type { Mode } from '../../shared/settings/index.ts'

/**
 * Document that `sliceflow explain -o json` prints. Fields are only ever added to a version. Times are RFC
 * 3339, and lists are in the order of names.
 */
export interface ServiceReport {
  readonly version: 1
  readonly cluster: string
  readonly namespace: string
  readonly service: string
  /** Absent: it is a Service. */
  readonly ownerKind?: string
  readonly mode: Mode
  readonly managedBy: string
  readonly management: Management
  /** Origin of the endpoints; absent if the Service asks for none, or its annotation is not understood. */
  readonly source?: SourceReport
  readonly managers: readonly ManagerReport[]
  /** Problems that need attention, such as two managers of one Service. */
  readonly warnings: readonly string[]
  readonly addressTypes: readonly AddressType[]
  readonly hints: readonly HintExplanation[]
  readonly endpoints: readonly EndpointExplanation[]
  readonly slices: readonly SliceReport[]
  /** Names of the slices that the next reconcile would write. */
  readonly writes: {
    readonly create: readonly string[]
    readonly update: readonly string[]
    readonly delete: readonly string[]
  }
  /** Objects that had to be left out and are no pods of the Service. */
  readonly problems: readonly string[]
}

/**
 * `Managed`: Sliceflow writes its slices. `Unmanaged`: not in this mode. `Invalid`: it would, but an
 * annotation cannot be used; the slices stay as they are. `Paused`: it would, but it is paused.
 * `Unread`: it does, but the cluster of its pods did not let us read them. `Absent`: there is no such
 * Service, only slices that name it.
 */
export interface Management {
  readonly state: 'Managed' | 'Unmanaged' | 'Invalid' | 'Paused' | 'Unread' | 'Absent'
  /** A clause. */
  readonly reason: string
  /** The managed-by value that the plan is for: ours, or the in-tree controller's where that serves it. */
  readonly plannedFor?: string
}

export interface SourceReport {
  /** `Pods`, or the kind of another source: `Addresses`, `Endpoints`. */
  readonly kind: string
  /** Cluster of a pod; with the next fields it says which pod it is. */
  readonly cluster?: string
  /** Instead, where pods are of several. */
  readonly clusters?: readonly string[]
  readonly namespace?: string
  readonly selector?: string
  readonly network?: string
}

export interface ManagerReport {
  /** Empty for slices without the label. */
  readonly managedBy: string
  readonly isOurs: boolean
  readonly slices: number
  readonly endpoints: number
}

export interface SliceReport extends SliceExplanation {
  /** State of our own slice: as we wrote it, edited since, or never sealed. */
  readonly seal?: 'Sealed' | 'Edited' | 'Absent'
}
