import { matchesLabels } from '../../kubernetes/index.ts'
import type { PodSelection } from '../sources/source.ts'
import type { Labels } from './pool.ts'

/** Finds what selects a pod by its labels, without trying every selector of the cluster. */
export interface SelectorIndex<Entry> {
  add(selection: PodSelection, entry: Entry): void
  delete(selection: PodSelection, entry: Entry): void
  /** Finds what selects a pod of this namespace with these labels. */
  matching(namespace: string, labels: Labels): Set<Entry>
  entries(): Iterable<Entry>
}

/**
 * The selectors on the pods of each cluster, whatever cluster their Services are in: a change of a pod
 * concerns Services of other clusters as well. One for all clusters that are watched together.
 */
export interface SelectorsByCluster<Entry> {
  /** Returns the selectors of the pods of this cluster, which need not be a known one. */
  of(cluster: string): SelectorIndex<Entry>
  /** Lists the clusters of which pods are selected now. */
  clusters(): string[]
}

/** @param onCluster called when pods of a cluster are selected of which none were before */
export function createSelectorsByCluster<Entry>(
  onCluster: (cluster: string) => void = () => undefined,
): SelectorsByCluster<Entry> {
  const byCluster = new Map<string, SelectorIndex<Entry>>()
  // Users who annotate Services choose these names: an index exists as long as something is in it.
  function indexFor(cluster: string): SelectorIndex<Entry> {
    const index = createSelectorIndex<Entry>()
    const registered: SelectorIndex<Entry> = {
      ...index,
      add(selection, entry) {
        const isFirst = isEmpty(index)
        index.add(selection, entry)
        byCluster.set(cluster, registered)
        if (isFirst) onCluster(cluster)
      },
      delete(selection, entry) {
        index.delete(selection, entry)
        if (isEmpty(index)) byCluster.delete(cluster)
      },
    }
    return registered
  }
  return {
    of: (cluster) => byCluster.get(cluster) ?? indexFor(cluster),
    clusters: () => [...byCluster.keys()],
  }
}

const isEmpty = <Entry>(index: SelectorIndex<Entry>): boolean => {
  for (const _ of index.entries()) return false
  return true
}

// Almost every selector asks for one label to have one of some values: a pod need only be tried on those that
// ask for one of its own.
export function createSelectorIndex<Entry>(): SelectorIndex<Entry> {
  const byLabel = new Map<string, Map<Entry, PodSelection>>()
  return {
    add(selection, entry) {
      for (const at of indexKeys(selection)) {
        const entries = byLabel.get(at) ?? new Map<Entry, PodSelection>()
        byLabel.set(at, entries.set(entry, selection))
      }
    },
    delete(selection, entry) {
      for (const at of indexKeys(selection)) {
        const entries = byLabel.get(at)
        entries?.delete(entry)
        if (entries?.size === 0) byLabel.delete(at)
      }
    },
    matching(namespace, labels) {
      const found = new Set<Entry>()
      const collect = (candidates: Iterable<[Entry, PodSelection]> = []): void => {
        for (const [entry, { selector }] of candidates) if (matchesLabels(selector, labels)) found.add(entry)
      }
      for (const [label, value] of Object.entries(labels))
        collect(byLabel.get(labelKey(namespace, label, value)))
      collect(byLabel.get(anyLabelKey(namespace)))
      return found
    },
    *entries() {
      const yielded = new Set<Entry>()
      for (const entries of byLabel.values())
        for (const entry of entries.keys()) {
          if (yielded.has(entry)) continue
          yielded.add(entry)
          yield entry
        }
    },
  }
}

export const labelKey = (namespace: string, label: string, value: string): string =>
  `${namespace}/${label}=${value}`
export const anyLabelKey = (namespace: string): string => `${namespace}/`

/**
 * Chooses the places of a selector: under the values of the label that must have one of the fewest, or with
 * those that ask for none.
 */
export function indexKeys({ namespace, selector }: PodSelection): string[] {
  const listed = selector.filter(({ operator, values }) => operator === 'in' && values.length > 0)
  const [fewest] = listed.toSorted((one, other) => one.values.length - other.values.length)
  if (fewest === undefined) return [anyLabelKey(namespace)]
  return [...new Set(fewest.values)].map((value) => labelKey(namespace, fewest.key, value))
}
