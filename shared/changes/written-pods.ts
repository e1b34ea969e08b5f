import { type Endpoint, type Node, type Pod, plan } from '../endpointslice/index.ts'
import { nodeNamed } from './compare-with-desired.ts'
import type { NodeDigest, PodEntry, ServiceEntry, SliceEntry } from './tables/index.ts'
import { parseSliceText, podOfDigest } from './tables/index.ts'

export interface WrittenPods {
  /** The Pods whose endpoints were written. */
  readonly names: ReadonlySet<string>
  /** Their Service; its endpoints are Pods of its own namespace. */
  readonly service: ServiceEntry
  /** All slices of the Service. */
  readonly slices: ReadonlySet<SliceEntry>
  /** A Pod of this name that the Service takes. */
  readonly pod: (name: string) => PodEntry | undefined
  readonly node: (name: string) => NodeDigest | undefined
  /** Returns a Pod without the addresses that may not be published. */
  readonly publishable: (pod: Pod) => Pod
}

/**
 * Verifies what functions have written, by what is remembered: whether the Pods are published as they ought
 * to be. A worker that was slow may have written what a Pod was long ago, while another one that saw it as it
 * is now found nothing to write.
 */
export function areWrittenRight({ names, service, slices, pod, node, publishable }: WrittenPods): boolean {
  const pods: Pod[] = []
  const nodes = new Map<string, Node>()
  for (const name of names) {
    const entry = pod(name)
    if (entry === undefined) continue
    const known = podOfDigest(`${service.namespace}/${name}`, entry.digest, entry.ports)
    // What is unknown is synced: that ends once there is nothing to write.
    if (known === undefined) return false
    pods.push(publishable(known))
    const found = node(entry.node)
    if (found !== undefined) nodes.set(entry.node, nodeNamed(entry.node, found))
  }
  const concerned = [...slices].filter((slice) => !names.isDisjointFrom(slice.pods))
  const state = {
    service: service.service,
    pods,
    nodes: [...nodes.values()],
    slices: concerned.map(({ text }) => parseSliceText(text)),
  }
  const { create, update, delete: remove } = plan(state, { onlyPods: names })
  return [create, update, remove].every(({ length }) => length === 0)
}

/** Returns the names of the Pods whose endpoints differ. */
export function podsChanged(before: SliceEntry | undefined, after: SliceEntry): readonly string[] {
  const was = endpointTexts(before)
  const is = endpointTexts(after)
  const changed = [...is].filter(([name, text]) => was.get(name) !== text)
  const gone = [...was.keys()].filter((name) => !is.has(name))
  return [...changed.map(([name]) => name), ...gone]
}

function endpointTexts(slice: SliceEntry | undefined): Map<string, string> {
  const texts = new Map<string, string>()
  const endpoints: readonly Endpoint[] = (slice && parseSliceText(slice.text).endpoints) ?? []
  for (const endpoint of endpoints) {
    const name = endpoint.targetRef?.name ?? ''
    if (slice?.pods.has(name)) texts.set(name, (texts.get(name) ?? '') + JSON.stringify(endpoint))
  }
  return texts
}
