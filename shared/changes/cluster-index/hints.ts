import { formatLabelSelector } from '../../kubernetes/index.ts'
import type { Settings } from '../../settings/index.ts'
import {
  type Change,
  type Hint,
  type HintFacts,
  type KeyHints,
  MAX_FACTS_LENGTH,
  ownerText,
  type PodFacts,
} from '../key-queue/index.ts'
import { hintFor } from '../slice-hint.ts'
import {
  factsOfDigest,
  type PodEntry,
  type PodTable,
  parsePorts,
  type ServiceEntry,
  textOfEntry,
} from '../tables/index.ts'
import { isHintable, isVerifiable, takesOwnPods } from './service-facts.ts'
import { sum } from './sum.ts'
import { isEndpointOf, type Tables } from './tables.ts'

/** Settings that hints depend on. */
export type HintSettings = Pick<Settings, 'maxEndpointsPerSlice' | 'maximumEndpoints'>

/**
 * Returns the hint of a change, by the index as it is now; none where a full sync is needed. The names of
 * Pods and slices are those of the change's own cluster and namespace.
 * @param at the time, in milliseconds since the epoch
 */
export function hintsOf(
  tables: Tables,
  { pods: names, ...key }: Change,
  settings: HintSettings,
  at: number,
): KeyHints {
  const { cluster, services, nodes } = tables
  const text = ownerText(key)
  const service = key.cluster === cluster ? services.get(text) : undefined
  if (service === undefined || !takesOwnPods(service)) return {}
  const { changedAt: nodesVersion } = nodes
  const { version: podsVersion } = tables.pods
  const hint =
    names !== undefined && isHintable(service) ? hintOf(tables, service, { names, settings, at }) : undefined
  return {
    ...(hint && { hint }),
    ...(nodesVersion !== undefined && { nodesVersion }),
    ...(podsVersion !== undefined && { podsVersion }),
    ...(hint && service.resourceVersion !== undefined && { serviceVersion: service.resourceVersion }),
    ...(isVerifiable(service) && { relayVerifies: true }),
  }
}

interface HintQuestion {
  /** Names of the Pods. */
  readonly names: readonly string[]
  readonly settings: HintSettings
  readonly at: number
}

function hintOf(
  tables: Tables,
  service: ServiceEntry,
  { names: pods, settings, at }: HintQuestion,
): Hint | undefined {
  const { slices } = tables
  const endpoints = new Set(
    pods.filter((name) => isEndpointOf(tables, `${service.namespace}/${name}`, service)),
  )
  const isEndpoint = (name: string): boolean => endpoints.has(name)
  const found = hintFor({
    pods,
    slices: slices.of(textOfEntry(service)),
    slicesVersion: slices.version,
    isEndpoint,
    maxEndpointsPerSlice: settings.maxEndpointsPerSlice,
  })
  if (found === undefined) return undefined
  const { hint, areHeld } = found
  const facts = areHeld ? factsOf(tables, service, { pods, isEndpoint, at }) : undefined
  const ofPods = facts === undefined ? nodesOf(tables, service, pods) : { facts }
  return { ...hint, ...selectedPods(tables.pods, service, settings), ...ofPods }
}

/** Returns what is known of Pods; nothing if a digest does not say it of one, or it is too much. */
function factsOf(
  tables: Tables,
  { namespace, selection }: ServiceEntry,
  about: { readonly pods: readonly string[]; isEndpoint(name: string): boolean; readonly at: number },
): HintFacts | undefined {
  if (selection.kind !== 'managed' || tables.pods.version === undefined) return undefined
  const pods: (PodFacts | null)[] = []
  let length = 0
  for (const name of about.pods) {
    const pod = tables.pods.get(`${namespace}/${name}`)
    const facts = pod && podFacts(tables, pod, about.isEndpoint(name))
    if (pod !== undefined && facts === undefined) return undefined
    pods.push(facts ?? null)
    length += (pod?.digest.length ?? 0) + (pod?.ports.length ?? 0)
  }
  const selector = formatLabelSelector(selection.selector)
  return length + selector.length <= MAX_FACTS_LENGTH ? { at: about.at, selector, pods } : undefined
}

function podFacts({ nodes }: Tables, pod: PodEntry, isSelected: boolean): PodFacts | undefined {
  const endpoint = factsOfDigest(pod.digest)
  const node = nodes.get(pod.node)
  return (
    endpoint && {
      endpoint,
      ports: parsePorts(pod.ports),
      ...(node !== undefined && { zone: node.zone }),
      ...(!isSelected && { isSelected: false }),
    }
  )
}

function nodesOf(
  { pods }: Tables,
  { namespace }: ServiceEntry,
  names: readonly string[],
): Pick<Hint, 'nodes'> {
  const nodes = new Set(names.map((name) => pods.get(`${namespace}/${name}`)?.node ?? ''))
  nodes.delete('')
  return nodes.size === 0 ? {} : { nodes: [...nodes] }
}

/** Counts the selected Pods. Without a limit the count is not needed, and counting is not free. */
function selectedPods(
  pods: PodTable,
  { selection }: ServiceEntry,
  { maximumEndpoints }: HintSettings,
): Pick<Hint, 'selected'> {
  if (maximumEndpoints === 0 || selection.kind !== 'managed') return {}
  return { selected: sum(pods.selected(selection), () => 1) }
}
