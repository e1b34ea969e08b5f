import type { EndpointSlice, Pod, Service } from '../../endpointslice/index.ts'
import type { ObjectSize } from '../sizes/index.ts'

/** One write request, and its event for each watcher. */
export interface Write extends ObjectSize {
  readonly operation: 'create' | 'update' | 'delete'
}

/** The current Pods of a Service by name. */
export type PodsByName = ReadonlyMap<string, Pod>

/** Stores the published state of one Service by one policy. */
export interface Publisher {
  /**
   * Updates the published state, like a sync of the function.
   * @param changed names of the Pods that may have changed; absent: full sync
   */
  publish(pods: PodsByName, changed?: readonly string[]): Write[]
  /** Whether the last call fell back to a full sync. Default: no. */
  readonly wasFullSync?: boolean
  /** Sets the Service. The next full sync writes the resulting changes. */
  serve(service: Service): void
  /** Removes everything published: the Service is deleted. */
  withdraw(): Write[]
  /** Number of published endpoints. */
  readonly endpoints: number
  /** Number of objects with endpoints, and the minimum for their number. */
  readonly objects: number
  readonly leastObjects: number
  /** Returns the current slices; none if endpoints are published by other objects. */
  slices(): readonly EndpointSlice[]
}
