import { type Node, type Pod, plan } from '../endpointslice/index.ts'
import { nodeNamed, type SliceState } from './compare-with-desired.ts'
import type { NodeDigest } from './tables/digests.ts'
import { podOfDigest } from './tables/pod-facts.ts'
import type { PodEntry } from './tables/pod-matches.ts'
import type { ServiceEntry } from './tables/service-table.ts'
import type { SliceEntry } from './tables/slice-table.ts'
import { parseSliceText } from './tables/slice-text.ts'

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
export function stateOfPods({ names, service, slices, pod, node, publishable }: WrittenPods): SliceState {
  const pods: Pod[] = []
  const nodes = new Map<string, Node>()
  for (const name of names) {
    const entry = pod(name)
    if (entry === undefined) continue
    const known = podOfDigest(`${service.namespace}/${name}`, entry.digest, entry.ports)
    if (known === undefined) return 'unknown'
    pods.push(publishable(known))
    const found = node(entry.node)
    if (found !== undefined) nodes.set(entry.node, nodeNamed(entry.node, found))
  }
  // One without Pods shows labels and a family.
  const concerned = [...slices].filter(({ pods: held }) => held.size === 0 || !names.isDisjointFrom(held))
  const state = {
    service: service.service,
    pods,
    nodes: [...nodes.values()],
    slices: concerned.map(({ text }) => parseSliceText(text)),
  }
  const { create, update, delete: remove } = plan(state, { onlyPods: names })
  return [create, update, remove].every(({ length }) => length === 0) ? 'right' : 'wrong'
}

/** Returns the names of the Pods whose endpoints differ; all where anything else does, such as the ports. */
export function podsChanged(before: SliceEntry | undefined, after: SliceEntry): readonly string[] {
  const was = before && textsOf(before)
  const is = textsOf(after)
  const isSameElse = was?.common === is.common
  const changed = [...is.endpoints].filter(([name, text]) => !isSameElse || was?.endpoints.get(name) !== text)
  const gone = [...(was?.endpoints.keys() ?? [])].filter((name) => !is.endpoints.has(name))
  return [...changed.map(([name]) => name), ...gone]
}

/** Writes for each Pod what the slice says of it, and what it says of all. */
function textsOf({ text, pods }: SliceEntry): {
  readonly common: string
  readonly endpoints: ReadonlyMap<string, string>
} {
  const { endpoints, ...common } = parseSliceText(text)
  const texts = new Map<string, string>()
  for (const endpoint of endpoints ?? []) {
    const name = endpoint.targetRef?.name ?? ''
    if (pods.has(name)) texts.set(name, (texts.get(name) ?? '') + JSON.stringify(endpoint))
  }
  return { common: JSON.stringify(common), endpoints: texts }
}
