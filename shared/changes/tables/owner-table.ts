import {
  createObjectTable,
  NATIVE_ENDPOINT_SELECTORS,
  type Resource,
  SERVICES,
} from '../../kubernetes/index.ts'
import { OTHER_OWNERS } from '../owners/other-owners.ts'
import type { ServiceEntry, ServiceTable } from './service-table.ts'
import { textOfEntry } from './service-table.ts'
import { SetMap } from './set-map.ts'

/** The APIs of the owners of slices that are no Services. */
const OTHER_RESOURCES = OTHER_OWNERS.flatMap(({ resources }) => Object.values(resources))

/** The tables of the owners of slices. */
export interface OwnerTables {
  /** Returns that of an API: of Services, or of one of OTHER_OWNERS. */
  of(resource: Resource): ServiceTable
  readonly foreign: ForeignSliceTable
}

/** @param createTable creates the table of an API of owners */
export function createOwnerTables(createTable: () => ServiceTable): OwnerTables {
  const tables = new Map([SERVICES, ...OTHER_RESOURCES].map((resource) => [resource, createTable()]))
  return {
    of: (resource) => tables.get(resource) as ServiceTable,
    foreign: createForeignSliceTable(),
  }
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

type ForeignSliceTable = ReturnType<typeof createForeignSliceTable>

/** Slices of EndpointSelectors that other controllers manage. */
function createForeignSliceTable() {
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
  const { foreign } = tables
  const services = tables.of(SERVICES)
  const native = tables.of(NATIVE_ENDPOINT_SELECTORS)
  const others = OTHER_RESOURCES.map(tables.of)
  const replaceable = [services, ...others.filter((table) => table !== native)]

  function get(key: string): ServiceEntry | undefined {
    const of = native.get(key)
    if (of !== undefined && !isProjection(of))
      return foreign.hasSlicesOf(of.service.metadata?.uid) ? undefined : of
    for (const table of replaceable) {
      const entry = table.get(key)
      if (entry !== undefined) return entry
    }
    return of
  }

  /** Reports whether no other EndpointSelector or controller has taken the place of the entry. */
  const counts = (entry: ServiceEntry): boolean =>
    entry.ownerKind === undefined || get(textOfEntry(entry)) === entry

  return {
    get,
    *entries() {
      yield* services.entries()
      for (const table of others) for (const each of table.entries()) if (counts(each[1])) yield each
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
      return new Set([services, ...others].flatMap(({ paused }) => [...paused].filter(counts)))
    },
  }
}
