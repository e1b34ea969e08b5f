import type { EndpointSlice } from '../../endpointslice/index.ts'
import type { Change } from '../key-queue/change.ts'
import type { ServiceKey } from '../key-queue/key.ts'
import type { ObjectKey } from '../selection/object-form.ts'
import { NO_SERVICE, type SliceEntry } from '../tables/slice-table.ts'
import type { KindTable } from './kind-index.ts'
import { hasSlices } from './service-facts.ts'
import { changeOf, keyChange, type Tables } from './tables.ts'

export interface SliceObserver {
  /** A slice shows what was written by us. */
  readonly noteWritten: (before: SliceEntry | undefined, after: SliceEntry) => void
  readonly isPublished: (change: Change) => boolean
  /** A slice of the Service was written by us, or deleted by anybody. */
  readonly onWritten?: ((service: ServiceKey) => void) | undefined
}

/** Finds which keys a change of a slice concerns: none where it is ours. */
export function createSliceIndex(
  tables: Pick<Tables, 'cluster' | 'services' | 'slices' | 'endpoints'>,
  { noteWritten, isPublished, onWritten }: SliceObserver,
): KindTable<EndpointSlice> {
  const { services, slices, endpoints } = tables

  function putSlice(key: ObjectKey, slice: EndpointSlice): Change[] {
    const { before, after } = slices.put(key, slice)
    const concerned = new Set<string>()
    if (!after.isSealed) concerned.add(after.service)
    if (before !== undefined && before.service !== after.service) concerned.add(before.service)
    concerned.delete(NO_SERVICE)
    const isNew = before?.resourceVersion !== after.resourceVersion
    if (after.isSealed && isNew) {
      noteWritten(before, after)
      onWritten?.(keyChange(tables, after.service))
    }
    return [...concerned].map((service) => keyChange(tables, service))
  }

  /** A Service that is there again waits for the deletion of its old slices, and not for longer. */
  function removeSlice(key: ObjectKey, slice: EndpointSlice): Change[] {
    const entry = slices.delete(key, slice)
    if (entry !== undefined) onWritten?.(keyChange(tables, entry.service))
    // One that a finalizer held showed until now what its Service has lost meanwhile: the history says so.
    return sliceGone(entry, typeof slice.metadata?.deletionTimestamp === 'string')
  }

  /**
   * Returns the key of a slice that is gone. Only a managed Service misses its slice, unless its Pods are
   * published by others, as where a sync has deleted it; the slices of a deleted Service go with it.
   */
  function sliceGone(entry: SliceEntry | undefined, wasHeld = false): Change[] {
    const service = entry === undefined ? undefined : services.get(entry.service)
    if (entry === undefined || service === undefined) return []
    const hasEndpoints = endpoints.get(entry.service) !== undefined
    if (!hasSlices(service.selection, hasEndpoints)) return []
    const change = changeOf(service)
    return !wasHeld && isSuperfluous(entry, change) ? [] : [change]
  }

  const isSuperfluous = ({ isSealed, pods }: SliceEntry, change: Change): boolean =>
    isSealed && pods.size > 0 && isPublished({ ...change, pods: [...pods.keys()] })

  return {
    size: slices.size,
    listing: slices.listing,
    put: putSlice,
    remove: removeSlice,
    listed: (resourceVersion) => slices.listed(resourceVersion).flatMap(([, entry]) => sliceGone(entry)),
    bookmark: slices.delivered,
  }
}
