import type { SlicePlan } from '../slice-plan.ts'
import type { HintMode } from '../topology-hints/mode.ts'
import type { AddressType } from '../types.ts'
import type { EndpointDifference } from './endpoint-differences.ts'

/** Why a Service's slices are as they are: what becomes of every pod and slice, by the plan's own rules. */
export interface Explanation {
  /** Address types in which the Service is published. */
  readonly addressTypes: readonly AddressType[]
  /** A pod each; or an address each, for a Service whose endpoints are no pods. */
  readonly endpoints: readonly EndpointExplanation[]
  /** All slices of the Service, by any manager, in the order given. */
  readonly slices: readonly SliceExplanation[]
  /** One an address type. */
  readonly hints: readonly HintExplanation[]
  readonly plan: SlicePlan
}

/**
 * `Published`: in every slice where it belongs. `Pending`: it shall be, and some slice does not have it yet.
 * `LeftOut`: it is not to be published; the reasons say why.
 */
export type EndpointOutcome = 'Published' | 'Pending' | 'LeftOut'

export type ReasonCode =
  | 'Terminal'
  | 'NoAddress'
  | 'NodeNotFound'
  | 'Malformed'
  | 'NotOnNetwork'
  | 'RefusedAddress'
  | 'NoAddressOfType'
  | 'AddressTypeNotOfService'
  | 'PortUnresolved'
  | 'BeingDeleted'
  | 'NotReady'
  | 'StillPublished'

export interface Reason {
  readonly code: ReasonCode
  /** A clause without a full stop. */
  readonly message: string
}

export interface EndpointExplanation {
  readonly kind: 'Pod' | 'Address'
  /** Empty for an address. */
  readonly namespace: string
  readonly name: string
  readonly outcome: EndpointOutcome
  /** Reasons why it is left out, or what is to be known of it though it is published. */
  readonly reasons: readonly Reason[]
  /** The cluster that the pod is in; absent where the caller does not say. */
  readonly cluster?: string | undefined
  readonly nodeName?: string | undefined
  readonly zone?: string | undefined
  /** Endpoints as which it shall be published, one an address type. */
  readonly published: readonly EndpointPlacement[]
}

export interface EndpointPlacement {
  readonly addressType: AddressType
  readonly addresses: readonly string[]
  readonly ready: boolean
  readonly serving: boolean
  readonly terminating: boolean
  /** Slices that have it now, by any manager. */
  readonly slices: readonly SliceReference[]
  /** The slice of ours that will have it; absent when the plan has no place for it. */
  readonly plannedSlice?: string | undefined
}

export interface SliceReference {
  readonly name: string
  readonly managedBy: string
}

/**
 * `AsPlanned`: nothing to write. `Update`, `Delete`: what the plan does with it. `BeingDeleted`: it has
 * a deletionTimestamp. `Foreign`: another manager's, never written. `Malformed`: cannot be read, and is left
 * alone.
 */
export type SliceOutcome = 'AsPlanned' | 'Update' | 'Delete' | 'BeingDeleted' | 'Foreign' | 'Malformed'

/** A slice as it is. */
export interface SliceDescription {
  readonly name: string
  /** Empty without the label. */
  readonly managedBy: string
  readonly addressType: string
  /** Ports such as `http 8080/TCP`. */
  readonly ports: readonly string[]
  readonly endpoints: number
  readonly ready: number
  /** Endpoints with hints. */
  readonly hinted: number
  readonly created?: string | undefined
  /** The annotation endpoints.kubernetes.io/last-change-trigger-time. */
  readonly triggerTime?: string | undefined
  /** Last writer, by its managedFields. */
  readonly lastWrite?: SliceWrite | undefined
}

/** The same with what becomes of it. */
export interface SliceExplanation extends SliceDescription {
  readonly outcome: SliceOutcome
  /** Reasons why it is written or deleted, in words. */
  readonly reasons: readonly string[]
  /** Changes of its endpoints by an update: expected is what it will be. */
  readonly differences: readonly EndpointDifference[]
}

export interface SliceWrite {
  /** The field manager, such as `kubectl-edit`. */
  readonly manager: string
  readonly operation: string
  readonly time?: string | undefined
}

export interface HintExplanation {
  readonly addressType: AddressType
  readonly mode: HintMode
  /** Reason why there are none though they are asked for. */
  readonly problem?: string | undefined
  /** Ready endpoints of the slices as they are planned. */
  readonly ready: number
  readonly hinted: number
}
