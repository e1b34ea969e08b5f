import type { Pod } from '../../endpointslice/index.ts'
import type { Change } from '../key-queue/change.ts'
import type { ObjectKey } from '../selection/object-form.ts'
import { knownVersion, readyTransitionTime } from '../tables/digests.ts'
import { isDeferrable, namedPorts, type PodTraffic, podDigest, podTraffic } from '../tables/pod-facts.ts'
import type { PodEntry } from '../tables/pod-table.ts'
import { createLabelPool, createPool } from '../tables/pool.ts'
import type { ServiceEntry } from '../tables/service-table.ts'
import type { KindTable } from './kind-index.ts'
import { takesOwnPods, takesUnready } from './service-facts.ts'
import { changeOf, servicesWith, type Tables } from './tables.ts'

interface PodCause extends Partial<Pick<Change, 'triggerTime' | 'resourceVersion'>> {
  readonly traffic: readonly [before: PodTraffic, after: PodTraffic]
}

/** Finds which keys a change of a Pod concerns, and what is known of it. */
export function createPodIndex(tables: Pick<Tables, 'cluster' | 'services' | 'pods'>): KindTable<Pod> {
  const { cluster, pods } = tables
  const labels = createLabelPool()
  const ports = createPool<string>((text) => text)

  /** Makes the change of a Service. A Pod's version and name mean nothing in another cluster or namespace. */
  function podChangeOf(
    entry: ServiceEntry,
    pod: string,
    { resourceVersion, traffic: [before, after], ...cause }: PodCause,
  ): Change {
    const mayWait = isDeferrable(before, after) && !takesUnready(entry)
    const more: Partial<Change> = mayWait ? { ...cause, deferrable: true } : cause
    if (entry.cluster !== cluster) return changeOf(entry, more)
    return changeOf(entry, { ...more, resourceVersion, ...(takesOwnPods(entry) && { pods: [pod] }) })
  }

  function putPod(key: ObjectKey, pod: Pod): Change[] {
    pods.delivered(pod.metadata?.resourceVersion)
    const digest = podDigest(pod)
    const after: PodEntry = {
      namespace: pod.metadata?.namespace ?? '',
      labels: labels.acquire(pod.metadata?.labels ?? {}),
      digest,
      traffic: podTraffic(pod, digest),
      ports: ports.acquire(namedPorts(pod)),
      node: pod.spec?.nodeName ?? '',
      readyTime: readyTransitionTime(pod),
    }
    const before = pods.set(key, after)
    if (before !== undefined) release(before)
    const concerned = servicesOfPodChange(before, after)
    if (concerned.size === 0) return []
    const moved = after.readyTime !== undefined && after.readyTime !== before?.readyTime
    const cause: PodCause = {
      ...(moved && { triggerTime: after.readyTime }),
      resourceVersion: knownVersion(pod.metadata?.resourceVersion),
      traffic: [before?.traffic ?? 'none', after.traffic],
    }
    return [...concerned].map((entry) => podChangeOf(entry, nameOf(key), cause))
  }

  function release(pod: PodEntry): void {
    labels.release(pod.labels)
    ports.release(pod.ports)
  }

  /**
   * Finds the Services that a Pod's change concerns, as podEndpointsChanged and
   * GetServicesToUpdateOnPodChange do upstream. It compares the phase as well, which upstream forgets.
   */
  function servicesOfPodChange(before: PodEntry | undefined, after: PodEntry): Set<ServiceEntry> {
    if (before?.labels === after.labels && before.digest === after.digest) return new Set()
    const was = servicesWith(tables, before)
    const is = servicesWith(tables, after)
    return before?.digest === after.digest ? was.symmetricDifference(is) : was.union(is)
  }

  function removePod(key: ObjectKey, pod: Pod): Change[] {
    pods.delivered(pod.metadata?.resourceVersion)
    return podGone(key, pods.delete(key), knownVersion(pod.metadata?.resourceVersion))
  }

  function podGone(key: string, entry: PodEntry | undefined, resourceVersion?: string): Change[] {
    if (entry === undefined) return []
    release(entry)
    const cause: PodCause = { resourceVersion, traffic: [entry.traffic, 'none'] }
    return [...servicesWith(tables, entry)].map((service) => podChangeOf(service, nameOf(key), cause))
  }

  return {
    size: pods.size,
    listing: pods.listing,
    put: putPod,
    remove: removePod,
    listed: (resourceVersion) => pods.listed(resourceVersion).flatMap(([key, entry]) => podGone(key, entry)),
    bookmark: pods.delivered,
  }
}

/** Returns the name in a key `namespace/name`. */
const nameOf = (key: string): string => key.slice(key.indexOf('/') + 1)
