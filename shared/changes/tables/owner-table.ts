import { createObjectTable } from '../../kubernetes/index.ts'
import type { ServiceEntry, ServiceTable } from './service-table.ts'
import { textOfEntry } from './service-table.ts'
import { SetMap } from './set-map.ts'

/** A table for each kind of owners of slices. */
export interface OwnerTables {
  readonly Service: ServiceTable
  /** Those of our own definition. */
  readonly EndpointSelector: ServiceTable
  /** Those of the API server. */
  readonly NativeEndpointSelector: ServiceTable
  readonly foreign: ForeignSliceTable
}

/** The owners of slices of a cluster, by the text of each: its Services and its other kinds together. */
export interface OwnerTable extends Pick<ServiceTable, 'get' | 'matching' | 'foreign' | 'paused'> {
  entries(): IterableIterator<[string, ServiceEntry]>
}

/** A slice of an EndpointSelector that another controller manages. */
export interface ForeignSlice {
  /** Text of the EndpointSelector, by the slice's label. */
  readonly owner: string
  /** Its uid, by the slice's ownerReference. */
  readonly uid: string
}

export type ForeignSliceTable = ReturnType<typeof createForeignSliceTable>

/** Slices of EndpointSelectors that other controllers manage. */
export function createForeignSliceTable() {
  const byUid = new SetMap<string, ForeignSlice>()
  const table = createObjectTable<ForeignSlice>((before, after) => {
    if (before !== undefined) byUid.delete(before.uid, before)
    if (after !== undefined) byUid.add(after.uid, after)
  })
  return {
    ...table,
    /** Reports whether another controller has slices of the EndpointSelector of this uid. */
    hasSlicesOf: (uid: string | undefined): boolean => uid !== undefined && byUid.get(uid).size > 0,
  }
}

const isProjection = ({ selection }: ServiceEntry): boolean =>
  selection.kind === 'unmanaged' && selection.reason === 'Projection'

/**
 * Joins the tables of all kinds, which share their selectors. Of two EndpointSelectors of one name the API
 * server's counts, and one that another controller publishes is no owner of slices of ours: nor is then ours
 * of its name, whose Pods would be published twice. A projection of a Service stands for nothing else.
 */
export function joinOwnerTables(tables: OwnerTables): OwnerTable {
  const { Service: services, EndpointSelector: own, NativeEndpointSelector: native, foreign } = tables

  function get(key: string): ServiceEntry | undefined {
    const of = native.get(key)
    if (of === undefined || isProjection(of)) return services.get(key) ?? own.get(key) ?? of
    return foreign.hasSlicesOf(of.service.metadata?.uid) ? undefined : of
  }

  /** Reports whether no other EndpointSelector or controller has taken the place of the entry. */
  const counts = (entry: ServiceEntry): boolean =>
    entry.ownerKind === undefined || get(textOfEntry(entry)) === entry

  return {
    get,
    *entries() {
      yield* services.entries()
      for (const table of [own, native]) for (const each of table.entries()) if (counts(each[1])) yield each
    },
    matching(namespace, labels) {
      const matching = services.matching(namespace, labels)
      if (native.size() === 0) return matching
      // Entries of other clusters are in tables of their own.
      for (const entry of matching)
        if (entry.cluster === services.cluster && !counts(entry)) matching.delete(entry)
      return matching
    },
    foreign: services.foreign,
    get paused() {
      return new Set([services, own, native].flatMap(({ paused }) => [...paused].filter(counts)))
    },
  }
}
