import type { ServiceKey } from '../../changes/index.ts'
import type { Endpoint, EndpointPort, SliceOperation } from '../../endpointslice/index.ts'
import type { Lane } from '../../queue/index.ts'

/** Grows with a change of meaning. New members and kinds do not count: readers skip what they do not know. */
export const RECORD_VERSION = 1

/** Maximum number of changes whose times are in a {@link ChangeRecord}, as many as a hinted sync takes. */
export const AGES = 64

/**
 * A line of a recording: one JSON object. Bodies, annotations and secrets are in none of them.
 *
 * The writes of a slice, in the order of their versions, give exactly its endpoints: the first one of a file,
 * or of a worker on a day, and each one that follows a write which is not in the recording, has a
 * {@link SnapshotRecord} of the version before it.
 */
export type RecordingLine =
  | StartRecord
  | SnapshotRecord
  | GoneRecord
  | WriteRecord
  | ChangeRecord
  | LostRecord

interface Line<Kind extends string> {
  readonly v: typeof RECORD_VERSION
  readonly kind: Kind
  /** RFC 3339 in UTC with milliseconds, by the clock of the worker. */
  readonly time: string
}

/** Worker that recorded: a process, or an execution environment of a function. */
interface ByWorker {
  readonly worker: string
  /** Lambda's id of the request; absent elsewhere. */
  readonly request?: string
}

/** Of a Service unless it has the kind of another owner of slices, to which its name then belongs. */
type OfService = ServiceKey

/** Begins what one worker records of a cluster in a file, or on a day. */
export interface StartRecord extends Line<'start'>, ByWorker {
  readonly cluster: string
  /** The share of Services that are recorded, above 0 to 1: each as a whole or not at all. */
  readonly share: number
  /** Settings that say what is written, by their names. */
  readonly settings: Readonly<Record<string, string | number | boolean>>
  /** The process began that alone records the cluster: what was deleted while none ran is in no record. */
  readonly isFirst?: boolean
}

/** A slice as it was read, if earlier records do not say so: it shows the writes of others. */
export interface SnapshotRecord extends Line<'snapshot'>, OfService, ByWorker {
  readonly slice: string
  readonly version: string
  readonly addressType: string
  readonly ports: readonly EndpointPort[]
  readonly endpoints: readonly Endpoint[]
}

/** A slice of earlier records no longer existed: another client deleted it. */
export interface GoneRecord extends Line<'gone'>, OfService, ByWorker {
  readonly slice: string
  /** Its last version that is known. */
  readonly version: string
}

/** A write that the API server has taken; the time is that of its answer. */
export interface WriteRecord extends Line<'write'>, OfService, ByWorker {
  readonly slice: string
  readonly action: SliceOperation
  readonly addressType: string
  /** Absent of a create. */
  readonly versionBefore?: string
  /** Absent of a delete. */
  readonly versionAfter?: string
  /** Ports of the slice, in a create and in an update that changed them. */
  readonly ports?: readonly EndpointPort[]
  readonly came: readonly Endpoint[]
  readonly went: readonly Removal[]
  readonly changed: readonly Alteration[]
  /** Versions of the Pods behind what came, went or changed, by name; one that was not found is absent. */
  readonly pods: Readonly<Record<string, string>>
  /** Time of the first change that this answers, as far as it is known. RFC 3339. */
  readonly trigger?: string
  readonly message?: MessageOrigin
  /** `hint`: a hinted sync of the Pods and slices that the message named; `whole`: a full sync. */
  readonly sync?: 'hint' | 'whole'
  /** Outcome of a plan that removes much: it was let go on, or only a note of it is written. */
  readonly hold?: 'held' | 'released' | 'expired'
  /** Slices that the same plan did not write, because another client keeps undoing the writes. */
  readonly fights?: readonly string[]
}

/** The messages that brought the key. */
export interface MessageOrigin {
  readonly ids?: readonly string[]
  readonly lane?: Lane
  /** Time at which the latest of them was sent. RFC 3339. */
  readonly sentAt?: string
  /** Number of times that the queue has handed them out, from 1. */
  readonly receiveCount: number
}

/** An endpoint that a slice has no longer, and why. */
export interface Removal {
  readonly endpoint: Endpoint
  readonly cause: Cause
  /** `Moved`: the slice that has it now. */
  readonly to?: string
}

/**
 * Reason why an endpoint went:
 * - `Moved`: another slice of the Service has it.
 * - `Deleted`: its Pod is gone. `NotSelected`: the labels of its Pod do not match. `Gone`: one of these two;
 *   a list of the selected Pods does not show which.
 * - `Replaced`: another Pod of its name is there. `AddressChanged`: its Pod has other addresses.
 * - `Terminal`: its Pod has ended. `NoAddress`: its Pod has no address. `NodeNotFound`, `Malformed`,
 *   `RefusedAddress`: its Pod was left out for that.
 * - `NotNamed`: no Pod is behind it, and no annotation of the Service and no Endpoints name the address.
 * - `ServiceDeleted`; `ServiceUnmanaged`: the Service is none that Sliceflow manages any more.
 * - `AddressTypeDropped`: the Service has no addresses of this type any more.
 * - `ClusterUnreachable`: the Pods of its cluster cannot be read, and the settings say that it goes then.
 *
 * An endpoint that only stops being ready has not gone: that is an {@link Alteration} of its conditions.
 */
export type Cause =
  | 'Moved'
  | 'Deleted'
  | 'NotSelected'
  | 'Gone'
  | 'Replaced'
  | 'AddressChanged'
  | 'Terminal'
  | 'NoAddress'
  | 'NodeNotFound'
  | 'Malformed'
  | 'RefusedAddress'
  | 'NotNamed'
  | 'ServiceDeleted'
  | 'ServiceUnmanaged'
  | 'AddressTypeDropped'
  | 'ClusterUnreachable'

/** An endpoint that stays, with other fields. No other one of the slice has its addresses and target. */
export interface Alteration {
  readonly addresses: readonly string[]
  /** The name in its targetRef. */
  readonly target?: string
  /** The fields that differ, as they were; one that was not there is absent. */
  readonly from: EndpointFields
  /** The same as they are now. */
  readonly to: EndpointFields
}

export type EndpointFields = Partial<Omit<Endpoint, 'addresses'>>

/** A key that the relay has sent. */
export interface ChangeRecord extends Line<'change'>, OfService, ByWorker {
  /**
   * The kinds whose objects changed: `pod`, `service`, `slice`, `node`; `verification` where a write was not
   * right. Of the sweep lane why: `start`, `changed` since the last checkpoint, `outage`, or `sweep` where
   * slices were not right.
   */
  readonly about: readonly string[]
  /** Changes that its message stands for; those that were found to be settled count with the next. */
  readonly count: number
  /** Milliseconds before the record at which these changes came, earliest first; at most {@link AGES}. */
  readonly ages?: readonly number[]
  /** Bytes of the message's body. */
  readonly bytes?: number
  /**
   * Milliseconds from the previous sending of the key until the relay's watch delivered the first write after
   * it. Absent where nothing was written, or an earlier sending might have led to the write.
   */
  readonly seen?: number
  readonly lane?: Lane
  /** Time of the first of the changes. RFC 3339. */
  readonly trigger?: string
  /** Names of the Pods that changed, of the latest {@link AGES} at most, where they are asked for. */
  readonly pods?: readonly string[]
}

/** The sink rejected records of these slices, which are read again before the next write. */
export interface LostRecord extends Line<'lost'>, ByWorker {
  readonly cluster: string
  readonly count: number
}
