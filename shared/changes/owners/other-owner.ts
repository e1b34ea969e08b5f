import type { ObjectMeta, Service, SliceOwner } from '../../endpointslice/index.ts'
import type { Resource } from '../../kubernetes/index.ts'
import type { ContentSettings } from '../../settings/index.ts'

/** An object that owns slices, before it is read as a Service. */
export interface OwnerObject {
  readonly apiVersion?: string
  readonly metadata?: ObjectMeta
}

/**
 * A kind of objects beside Service that slices belong to. An entry of {@link OTHER_OWNERS} is all that others
 * know of it: the kinds that the relay watches, keys and messages, reads and lists, the audit, and how
 * commands name it. Once read, an object has the form of a Service, and its way is the same.
 */
export interface OtherOwner {
  /** How its slices name it. */
  readonly owner: SliceOwner
  /** Setting that turns it on; the default turns it off. */
  readonly enabledBy: keyof ContentSettings
  /** The APIs that may serve it, by precedence, under their names among the KINDS that a relay watches. */
  readonly resources: Readonly<Record<string, Resource<OwnerObject>>>
  /** Other kinds of objects that it depends on; KINDS has what an event of each means. */
  readonly kinds?: readonly string[]
  /** Reads an object in the form of a Service. */
  asService(object: OwnerObject): Service
}
