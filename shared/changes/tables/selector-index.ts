import { matchesLabels } from '../../kubernetes/index.ts'
import type { PodSelection } from '../sources/source.ts'
import type { Labels } from './pool.ts'

/**
 * Finds what selects a pod by its labels, without trying every selector of the cluster. Almost every selector
 * asks for one label to have one of some values: a pod need only be tried on those that ask for one of its
 * own.
 */
export class SelectorIndex<Entry> {
  readonly #byLabel = new Map<string, Map<Entry, PodSelection>>()

  get isEmpty(): boolean {
    return this.#byLabel.size === 0
  }

  add(selection: PodSelection, entry: Entry): void {
    for (const at of indexKeys(selection)) {
      const entries = this.#byLabel.get(at) ?? new Map<Entry, PodSelection>()
      this.#byLabel.set(at, entries.set(entry, selection))
    }
  }

  delete(selection: PodSelection, entry: Entry): void {
    for (const at of indexKeys(selection)) {
      const entries = this.#byLabel.get(at)
      entries?.delete(entry)
      if (entries?.size === 0) this.#byLabel.delete(at)
    }
  }

  /** Finds what selects a pod of this namespace with these labels. */
  matching(namespace: string, labels: Labels): Set<Entry> {
    const found = new Set<Entry>()
    const collect = (candidates: Iterable<[Entry, PodSelection]> = []): void => {
      for (const [entry, { selector }] of candidates) if (matchesLabels(selector, labels)) found.add(entry)
    }
    for (const [label, value] of Object.entries(labels))
      collect(this.#byLabel.get(labelKey(namespace, label, value)))
    collect(this.#byLabel.get(anyLabelKey(namespace)))
    return found
  }

  entries(): Set<Entry> {
    return new Set(this.#byLabel.values().flatMap((entries) => entries.keys()))
  }
}

/**
 * The selectors on the pods of each cluster, whatever cluster their Services are in: a change of a pod
 * concerns Services of other clusters as well. One for all clusters that are watched together.
 */
export class SelectorsByCluster<Entry> {
  readonly #byCluster = new Map<string, SelectorIndex<Entry>>()
  readonly #onCluster: (cluster: string) => void

  /** @param onCluster called when pods of a cluster are selected of which none were before */
  constructor(onCluster: (cluster: string) => void = () => undefined) {
    this.#onCluster = onCluster
  }

  /** Users who annotate Services choose these names: an index exists as long as something is in it. */
  add(cluster: string, selection: PodSelection, entry: Entry): void {
    const known = this.#byCluster.get(cluster)
    const index = known ?? new SelectorIndex<Entry>()
    this.#byCluster.set(cluster, index)
    index.add(selection, entry)
    if (known === undefined) this.#onCluster(cluster)
  }

  delete(cluster: string, selection: PodSelection, entry: Entry): void {
    const index = this.#byCluster.get(cluster)
    index?.delete(selection, entry)
    if (index?.isEmpty) this.#byCluster.delete(cluster)
  }

  /** Finds what selects a pod of this cluster, as of {@link SelectorIndex}. */
  matching(cluster: string, namespace: string, labels: Labels): Set<Entry> {
    return this.#byCluster.get(cluster)?.matching(namespace, labels) ?? new Set()
  }

  /** Lists what selects pods of this cluster. */
  entries(cluster: string): Iterable<Entry> {
    return this.#byCluster.get(cluster)?.entries() ?? []
  }

  /** Lists the clusters of which pods are selected now. */
  clusters(): string[] {
    return [...this.#byCluster.keys()]
  }
}

export const labelKey = (namespace: string, label: string, value: string): string =>
  `${namespace}/${label}=${value}`
export const anyLabelKey = (namespace: string): string => `${namespace}/`

/** Chooses where to index a selector: by the label with the fewest values, or by its namespace alone. */
export function indexKeys({ namespace, selector }: PodSelection): string[] {
  const listed = selector.filter(({ operator, values }) => operator === 'in' && values.length > 0)
  const [fewest] = listed.toSorted((one, other) => one.values.length - other.values.length)
  if (fewest === undefined) return [anyLabelKey(namespace)]
  return [...new Set(fewest.values)].map((value) => labelKey(namespace, fewest.key, value))
}
