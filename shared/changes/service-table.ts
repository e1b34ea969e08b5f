import { hintModeOf, type Service } from '../endpointslice/index.ts'
import { matchesLabels } from '../kubernetes/index.ts'
import type { Mode } from '../settings/index.ts'
import { serviceDigest } from './digests.ts'
import type { Labels } from './label-pool.ts'
import { createObjectTable, type ObjectTable } from './object-table.ts'
import { ANNOTATION_SELECTOR, type Selection, selectionOf } from './selection.ts'

export interface ServiceEntry {
  readonly namespace: string
  readonly name: string
  readonly digest: string
  readonly selection: Selection
  readonly topologyHints: boolean
}

/** The Services of a cluster, found by name or by the labels of a pod. */
export interface ServiceTable
  extends Pick<ObjectTable<ServiceEntry>, 'get' | 'entries' | 'size' | 'listing' | 'listed'> {
  /** Returns the entry before and after. */
  put(key: string, service: Service): { before: ServiceEntry | undefined; after: ServiceEntry }
  delete(key: string): ServiceEntry | undefined
  /** The managed Services that select a pod with these labels. */
  matching(namespace: string, labels: Labels): Set<ServiceEntry>
}

export function createServiceTable(mode: Mode): ServiceTable {
  const table = createObjectTable<ServiceEntry>()
  // Almost every selector asks for one label to have one value: a pod need only be tried on Services that ask for one of its own.
  const byLabel = new Map<string, Set<ServiceEntry>>()

  function index(entry: ServiceEntry): void {
    const at = indexKey(entry)
    if (at === undefined) return
    const entries = byLabel.get(at) ?? new Set()
    byLabel.set(at, entries.add(entry))
  }
  function unindex(entry: ServiceEntry): void {
    const at = indexKey(entry)
    const entries = at === undefined ? undefined : byLabel.get(at)
    if (at === undefined || entries === undefined) return
    entries.delete(entry)
    if (entries.size === 0) byLabel.delete(at)
  }

  return {
    get: table.get,
    entries: table.entries,
    get size() {
      return table.size
    },
    listing: table.listing,
    listed: () => {
      const gone = table.listed()
      for (const [, entry] of gone) unindex(entry)
      return gone
    },
    put(key, service) {
      const before = table.get(key)
      const after = entryOf(service, mode)
      if (before?.digest === after.digest) {
        table.set(key, before)
        return { before, after: before }
      }
      if (before !== undefined) unindex(before)
      table.set(key, after)
      index(after)
      return { before, after }
    },
    delete(key) {
      const entry = table.get(key)
      if (entry !== undefined) unindex(entry)
      table.delete(key)
      return entry
    },
    matching(namespace, labels) {
      const found = new Set<ServiceEntry>()
      const collect = (candidates: Iterable<ServiceEntry> = []): void => {
        for (const entry of candidates) {
          if (entry.selection.kind === 'managed' && matchesLabels(entry.selection.selector, labels))
            found.add(entry)
        }
      }
      for (const [label, value] of Object.entries(labels))
        collect(byLabel.get(labelKey(namespace, label, value)))
      collect(byLabel.get(anyLabelKey(namespace)))
      return found
    },
  }
}

function entryOf(service: Service, mode: Mode): ServiceEntry {
  return {
    namespace: service.metadata?.namespace ?? '',
    name: service.metadata?.name ?? '',
    digest: serviceDigest(service, ANNOTATION_SELECTOR),
    selection: selectionOf(service, mode),
    topologyHints: hintModeOf(service) === 'topology',
  }
}

const labelKey = (namespace: string, label: string, value: string): string => `${namespace}/${label}=${value}`
const anyLabelKey = (namespace: string): string => `${namespace}/`

/** Where the Service is found: under the first label that must have one value, or with those that ask for none. */
function indexKey({ namespace, selection }: ServiceEntry): string | undefined {
  if (selection.kind !== 'managed') return undefined
  for (const { key, operator, values } of selection.selector) {
    const [value] = values
    if (value !== undefined && values.length === 1 && operator === 'in') {
      return labelKey(namespace, key, value)
    }
  }
  return anyLabelKey(namespace)
}
