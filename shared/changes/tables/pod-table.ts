import { createObjectTable, matchesLabels, type ObjectTable } from '../../kubernetes/index.ts'
import type { PodSelection } from '../sources/source.ts'
import { NO_ENDPOINT, type PodTraffic } from './pod-facts.ts'
import type { Labels } from './pool.ts'
import { anyLabelKey, indexKeys, labelKey } from './selector-index.ts'
import { SetMap } from './set-map.ts'
import { DeliveredMark } from './version-mark.ts'

/** Memory of a Pod. */
export interface PodEntry {
  readonly namespace: string
  readonly labels: Labels
  readonly digest: string
  readonly traffic: PodTraffic
  /** The ports that have a name. */
  readonly ports: string
  readonly node: string
  readonly readyTime: string | undefined
}

/** The pods of a cluster, found by name, and by a selector without trying every pod. */
export interface PodTable extends Omit<ObjectTable<PodEntry>, 'isListed' | 'listed'> {
  /** Every change up to this version is in the table; `undefined` as of {@link DeliveredMark}. */
  readonly version: string | undefined
  /** Notes an event of a Pod of this version, or a bookmark. */
  delivered(version: unknown): void
  /** Notes that the list is complete, as of this version: removes and returns what it did not name. */
  listed(resourceVersion: string | undefined): [string, PodEntry][]
  /** Yields the pods that can be endpoints and that the selector takes. */
  selected(selection: PodSelection): Generator<readonly [key: string, pod: PodEntry]>
}

/** The pods of a namespace with the same labels: those of a Deployment. */
interface PodGroup {
  readonly labels: Labels
  readonly pods: Set<string>
}

/** Labels are compared by identity: equal ones are to be of one pool. */
export function createPodTable(): PodTable {
  const table = createObjectTable<PodEntry>()
  const mark = new DeliveredMark()
  const groups = new Map<Labels, Map<string, PodGroup>>()
  // The counterpart of the selectors' index: under each label of theirs, and under their namespace.
  const byLabel = new SetMap<string, PodGroup>()

  function addGroup(namespace: string, labels: Labels): PodGroup {
    const group = { labels, pods: new Set<string>() }
    const ofLabels = groups.get(labels) ?? new Map<string, PodGroup>()
    groups.set(labels, ofLabels.set(namespace, group))
    for (const at of placesOf(namespace, labels)) byLabel.add(at, group)
    return group
  }

  function deleteGroup(namespace: string, group: PodGroup): void {
    const ofLabels = groups.get(group.labels)
    ofLabels?.delete(namespace)
    if (ofLabels?.size === 0) groups.delete(group.labels)
    for (const at of placesOf(namespace, group.labels)) byLabel.delete(at, group)
  }

  function ungroup(key: string, { namespace, labels }: PodEntry): void {
    const group = groups.get(labels)?.get(namespace)
    group?.pods.delete(key)
    if (group?.pods.size === 0) deleteGroup(namespace, group)
  }

  return {
    ...table,
    get version() {
      return mark.version
    },
    delivered: (version) => mark.delivered(version),
    listing() {
      mark.listing()
      table.listing()
    },
    listed(resourceVersion) {
      mark.listed(resourceVersion)
      const gone = table.listed()
      for (const [key, entry] of gone) ungroup(key, entry)
      return gone
    },
    set(key, entry) {
      const before = table.get(key)
      table.set(key, entry)
      const { namespace, labels } = entry
      if (before?.labels === labels) return
      if (before !== undefined) ungroup(key, before)
      const group = groups.get(labels)?.get(namespace) ?? addGroup(namespace, labels)
      group.pods.add(key)
    },
    delete(key) {
      const entry = table.get(key)
      if (entry !== undefined) ungroup(key, entry)
      table.delete(key)
    },
    *selected(selection) {
      // A group has one value of a label, and so is in one of these places at most.
      for (const { labels, pods } of indexKeys(selection).flatMap((at) => [...byLabel.get(at)])) {
        if (!matchesLabels(selection.selector, labels)) continue
        for (const key of pods) {
          const pod = table.get(key)
          if (pod !== undefined && pod.digest !== NO_ENDPOINT) yield [key, pod]
        }
      }
    },
  }
}

const placesOf = (namespace: string, labels: Labels): string[] => [
  anyLabelKey(namespace),
  ...Object.entries(labels).map(([label, value]) => labelKey(namespace, label, value)),
]
