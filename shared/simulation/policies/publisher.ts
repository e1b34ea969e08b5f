import type { EndpointSlice, Pod, Service } from '../../endpointslice/index.ts'
import type { ObjectSize } from '../sizes/index.ts'

/** One request that changes an object, and the event that each watcher gets of it. */
export interface Write extends ObjectSize {
  readonly operation: 'create' | 'update' | 'delete'
}

/** The Pods of a Service by name, as they are at the moment. */
export type PodsByName = ReadonlyMap<string, Pod>

/** Keeps what is published of one Service by one policy. */
export interface Publisher {
  /**
   * Brings what is published up to date, as a look of the function does.
   * @param changed names of the Pods that may have changed since; absent: all are looked at
   */
  publish(pods: PodsByName, changed?: readonly string[]): Write[]
  /** Whether that looked at all Pods, though some were named. Default: no. */
  readonly sawAll?: boolean
  /** Tells that the Service is like this from now on. The next look at all of it writes what that changes. */
  serve(service: Service): void
  /** Takes away what is published: the Service is gone. */
  withdraw(): Write[]
  /** Endpoints that are published. */
  readonly endpoints: number
  /** Objects that hold them, and the fewest that could. */
  readonly objects: number
  readonly leastObjects: number
  /** Returns the slices as they are now; none where endpoints are published by other objects. */
  slices(): readonly EndpointSlice[]
}
