import { matchesLabels } from '../../kubernetes/index.ts'
import type { PodSelection } from '../sources/source.ts'
import { createDeliveredTable } from './delivered-table.ts'
import { NO_ENDPOINT, type PodTraffic } from './pod-facts.ts'
import type { Labels } from './pool.ts'
import { anyLabelKey, indexKeys, labelKey } from './selector-index.ts'
import { SetMap } from './set-map.ts'

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

/** The pods of a namespace with the same labels: those of a Deployment. */
interface PodGroup {
  readonly labels: Labels
  readonly pods: Set<string>
}

export type PodTable = ReturnType<typeof createPodTable>

/** The pods of a cluster, by name and by selector. Labels are compared by identity: equal ones are pooled. */
export function createPodTable() {
  const groups = new Map<Labels, Map<string, PodGroup>>()
  // The counterpart of the selectors' index: under each label of theirs, and under their namespace.
  const byLabel = new SetMap<string, PodGroup>()
  const table = createDeliveredTable<PodEntry>((before, after, key) => {
    if (before?.labels === after?.labels) return
    if (before !== undefined) ungroup(key, before)
    if (after === undefined) return
    const { namespace, labels } = after
    const group = groups.get(labels)?.get(namespace) ?? addGroup(namespace, labels)
    group.pods.add(key)
  })

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
    /** Yields the pods that can be endpoints and that the selector takes. */
    *selected(selection: PodSelection): Generator<readonly [key: string, pod: PodEntry]> {
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
