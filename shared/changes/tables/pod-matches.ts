import { NO_ENDPOINT, type PodTraffic } from './pod-facts.ts'
import type { Labels } from './pool.ts'
import type { ServiceEntry } from './service-table.ts'

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

export interface MatchedContent {
  pods(): Iterable<[string, PodEntry]>
  /** Finds the Services, of this cluster or another, that take pods of this one with these labels. */
  matching(namespace: string, labels: Labels): Iterable<ServiceEntry>
}

/**
 * Yields every Pod that can be an endpoint, with the Services that take it. Pods of a Deployment share their
 * labels: each set is matched once.
 */
export function* matchedPods({
  pods,
  matching,
}: MatchedContent): Generator<[key: string, pod: PodEntry, services: readonly ServiceEntry[]]> {
  const known = new Map<Labels, Map<string, readonly ServiceEntry[]>>()
  for (const [key, pod] of pods()) {
    if (pod.digest === NO_ENDPOINT) continue
    const byNamespace = known.get(pod.labels) ?? new Map<string, readonly ServiceEntry[]>()
    known.set(pod.labels, byNamespace)
    const services = byNamespace.get(pod.namespace) ?? [...matching(pod.namespace, pod.labels)]
    byNamespace.set(pod.namespace, services)
    yield [key, pod, services]
  }
}
