import type { EndpointPort } from '../../shared/endpointslice/index.ts'
import type {
  Cause,
  ChangeRecord,
  EndpointFields,
  LostRecord,
  WriteRecord,
} from '../../shared/recording/index.ts'

/**
 * Line that `sliceflow history -o json` prints; lines are in the order of time. Fields are only ever added to
 * a version. Times are RFC 3339, by the clock of the worker.
 */
export type HistoryEntry = WriteEntry | FoundEntry | GoneEntry | SentEntry | LostEntry

interface Entry<Kind extends string> {
  readonly version: 1
  readonly kind: Kind
  readonly time: string
  /** Worker that recorded it, and the request of a function in which it did. */
  readonly worker: string
  readonly request?: string
}

export interface WriteEntry
  extends Entry<'Write'>,
    Pick<
      WriteRecord,
      | 'slice'
      | 'action'
      | 'addressType'
      | 'versionBefore'
      | 'versionAfter'
      | 'trigger'
      | 'message'
      | 'sync'
      | 'hold'
      | 'fights'
    > {
  /** Ports of a create, and of an update that changed them. */
  readonly ports?: readonly EndpointPort[]
  readonly endpoints: readonly EndpointEvent[]
  /** A write before it is not in the recording. */
  readonly isGap?: true
}

/**
 * A slice was read in a state that no recorded write has made: as recording began, or as another client, or a
 * worker whose records are missing, has left it.
 */
export interface FoundEntry extends Entry<'Found'> {
  readonly slice: string
  readonly sliceVersion: string
  /** The version that the records before it give; absent where there are none. */
  readonly knownVersion?: string
  readonly count: number
  /** Differences from the endpoints of the known version; without one, all of them, as `Found`. */
  readonly endpoints: readonly EndpointEvent[]
}

/** A slice was not there any more: another client has deleted it. */
export interface GoneEntry extends Entry<'Gone'> {
  readonly slice: string
  /** Its last version that is known. */
  readonly sliceVersion: string
  /** All that it had, as `Left`. */
  readonly endpoints: readonly EndpointEvent[]
}

export interface SentEntry
  extends Entry<'Sent'>,
    Pick<ChangeRecord, 'about' | 'count' | 'lane' | 'trigger' | 'pods'> {}

export interface LostEntry extends Entry<'Lost'>, Pick<LostRecord, 'count'> {}

export type EndpointEvent = Present | Left | Moved | Changed

interface OfEndpoint<Event extends string> {
  readonly event: Event
  readonly addresses: readonly string[]
  readonly pod?: string
  /** The version of that Pod which it was made of; absent where none was found. */
  readonly podVersion?: string
}

/** It is published: it `Came`, or was `Found` where nothing is known of before. */
export interface Present extends OfEndpoint<'Came' | 'Found'> {
  readonly ready: boolean
}

/** It is not published any longer. The cause is absent where another client removed it. */
export interface Left extends OfEndpoint<'Left'> {
  readonly cause?: Cause
}

/** Moved to another slice, otherwise unchanged. The new slice has `from`, the old one `to`. */
export interface Moved extends OfEndpoint<'Moved'> {
  readonly from?: string
  readonly to?: string
}

export interface Changed extends OfEndpoint<'Changed'> {
  /** The fields that differ, as they were and as they are; what was not set is absent. */
  readonly from: EndpointFields
  readonly to: EndpointFields
}
