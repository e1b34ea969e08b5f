import { formatLabelSelector } from '../../kubernetes/index.ts'
import type { Settings } from '../../settings/index.ts'
import type { Change } from '../key-queue/change.ts'
import { ownerText, type ServiceKey } from '../key-queue/key.ts'
import {
  HINTED_PODS,
  HINTED_SLICES,
  type HintFacts,
  type KeyHints,
  MAX_FACTS_LENGTH,
  MAX_READ_AHEAD,
  MAX_SELECTOR_LENGTH,
  type PodFacts,
  type PodsFacts,
  type ReadAhead,
  type SyncHint,
} from '../key-queue/sync-hint.ts'
import { factsOfDigest, NO_ENDPOINT, parsePorts } from '../tables/pod-facts.ts'
import type { PodEntry, PodTable } from '../tables/pod-table.ts'
import { type ServiceEntry, textOfEntry } from '../tables/service-table.ts'
import type { SliceEntry } from '../tables/slice-table.ts'
import { newerOf } from '../versions.ts'
import { isHintable, isVerifiable, takesOwnPods } from './service-facts.ts'
import { type FoundHint, hintFor, isListCheaper, type SlicesQuestion } from './slices-to-read.ts'
import { isEndpointOf, serviceOf, sum, type Tables } from './tables.ts'

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
  const service = serviceOf(tables, key)
  const nodesVersion = tables.nodes.changedAt
  if (service === undefined) return { nodesVersion, ...hintsOfGone(tables, key) }
  if (!takesOwnPods(service)) return {}
  const hint =
    names !== undefined && isHintable(service) ? hintOf(tables, service, { names, settings, at }) : undefined
  return {
    hint,
    readAhead: hint === undefined ? readAheadOf(tables, service, at) : undefined,
    nodesVersion,
    podsVersion: tables.pods.version(),
    serviceVersion: service.resourceVersion,
    relayVerifies: isVerifiable(service) || undefined,
  }
}

/** Returns what a sync of a Service that is gone may read at once. Slices that it misses are verified. */
function hintsOfGone({ cluster, slices, pods }: Tables, key: ServiceKey): KeyHints {
  const [slicesVersion, podsVersion] = [slices.version(), pods.version()]
  if (key.cluster !== cluster || key.ownerKind !== undefined) return {}
  if (slicesVersion === undefined || podsVersion === undefined) return {}
  const own = namesOf([...slices.of(ownerText(key))])
  return { readAhead: { slicesVersion, podsVersion, ...own }, podsVersion, relayVerifies: true }
}

/** Names all slices of a Service, and their versions; neither where they are many or one is not known. */
function namesOf(own: readonly SliceEntry[]): Pick<ReadAhead, 'slices' | 'sliceVersions'> {
  const areNamed = own.length <= HINTED_SLICES && own.every(({ resourceVersion }) => resourceVersion !== '')
  return areNamed
    ? {
        slices: own.map(({ name }) => name),
        sliceVersions: own.map(({ resourceVersion }) => resourceVersion),
      }
    : {}
}

/** Returns those of some Pods that a sync of a change takes along: it writes every slice that holds them. */
export function podsAlong(
  tables: Tables,
  { pods: names, ...key }: Change,
  { pods, settings }: { readonly pods: readonly string[]; readonly settings: HintSettings },
): readonly string[] {
  const service = serviceOf(tables, key)
  if (service === undefined || names === undefined || !isHintable(service)) return []
  const found = slicesFor(tables, service, { pods: names, waiting: pods }, settings)
  if (found === undefined) return []
  const slices = [...tables.slices.of(ownerText(key))]
  const isWritten = (pod: string): boolean => {
    const holding = slices.filter((slice) => slice.pods.has(pod))
    return holding.length > 0 && holding.every((slice) => found.written.has(slice))
  }
  const endpoints = sum(slices, (slice) => slice.endpoints)
  const isTooMany = (count: number): boolean => count > HINTED_PODS || isListCheaper(count, endpoints)
  return pods.filter(isWritten).filter((_, at) => !isTooMany(names.length + at + 1))
}

interface HintQuestion {
  readonly names: readonly string[]
  readonly settings: HintSettings
  readonly at: number
}

function hintOf(
  tables: Tables,
  service: ServiceEntry,
  { names: pods, settings, at }: HintQuestion,
): SyncHint | undefined {
  const found = slicesFor(tables, service, { pods }, settings)
  if (found === undefined) return undefined
  const { hint, areHeld, isEndpoint } = found
  const facts = hintFactsOf(tables, service, { pods, isEndpoint, areHeld, at })
  return {
    ...hint,
    selected: selectedPods(tables.pods, service, settings),
    facts,
    nodes:
      facts === undefined || !areHeld
        ? nodesOf(pods.map((name) => tables.pods.get(`${service.namespace}/${name}`)))
        : undefined,
  }
}

function slicesFor(
  tables: Tables,
  service: ServiceEntry,
  { pods, waiting = [] }: Pick<SlicesQuestion, 'pods' | 'waiting'>,
  { maxEndpointsPerSlice }: HintSettings,
): (FoundHint & Pick<FactsQuestion, 'isEndpoint'>) | undefined {
  // While they are listed not all of them are known.
  if (tables.slices.version() === undefined) return undefined
  const endpoints = new Set(
    [...pods, ...waiting].filter((name) => isEndpointOf(tables, `${service.namespace}/${name}`, service)),
  )
  const isEndpoint = (name: string): boolean => endpoints.has(name)
  const slices = tables.slices.of(textOfEntry(service))
  const found = hintFor({ pods, waiting, slices, isEndpoint, maxEndpointsPerSlice })
  return found && { ...found, isEndpoint }
}

interface FactsQuestion extends Pick<HintQuestion, 'at'> {
  readonly pods: readonly string[]
  isEndpoint(name: string): boolean
  /** Whether slices hold each Pod that is an endpoint. */
  readonly areHeld: boolean
}

function hintFactsOf(tables: Tables, service: ServiceEntry, about: FactsQuestion): HintFacts | undefined {
  const { selection } = service
  if (selection.kind !== 'managed' || tables.pods.version() === undefined) return undefined
  const selector = formatLabelSelector(selection.selector)
  const facts = selector.length > MAX_SELECTOR_LENGTH ? undefined : factsOf(tables, service, about)
  return facts && { ...facts, selector }
}

/** Returns what is known of Pods; nothing if a digest does not say it of one, or it is too much. */
function factsOf(
  tables: Tables,
  { namespace }: ServiceEntry,
  { at, areHeld, ...about }: FactsQuestion,
): PodsFacts | undefined {
  const pods: (PodFacts | null)[] = []
  let length = 0
  for (const name of about.pods) {
    const pod = tables.pods.get(`${namespace}/${name}`)
    const facts = pod && podFacts(tables, pod, about.isEndpoint(name))
    if (pod !== undefined && facts === undefined) return undefined
    pods.push(facts ?? null)
    length += (pod?.digest.length ?? 0) + (pod?.ports.length ?? 0)
  }
  if (length > MAX_FACTS_LENGTH) return undefined
  return { at, pods, addsEndpoints: areHeld ? undefined : true }
}

function podFacts({ nodes }: Tables, pod: PodEntry, isSelected: boolean): PodFacts | undefined {
  const endpoint = factsOfDigest(pod.digest)
  if (endpoint === undefined) return undefined
  const { zone } = nodes.get(pod.node) ?? {}
  return { endpoint, ports: parsePorts(pod.ports), zone, isSelected: isSelected ? undefined : false }
}

/** Names the Nodes of Pods; undefined if there are none, or too many. */
function nodesOf(pods: Iterable<PodEntry | undefined>): string[] | undefined {
  const nodes = new Set<string>()
  for (const pod of pods) {
    if (pod?.node) nodes.add(pod.node)
    if (nodes.size > HINTED_PODS) return undefined
  }
  return nodes.size === 0 ? undefined : [...nodes]
}

/** Says what to read at once of a Service that is not large, if its slices are verified after a write. */
function readAheadOf(tables: Tables, service: ServiceEntry, at: number): ReadAhead | undefined {
  const { slices, pods } = tables
  const { selection } = service
  if (selection.kind !== 'managed' || !isVerifiable(service)) return undefined
  const slicesVersion = slices.version()
  if (slicesVersion === undefined) return undefined
  const own = [...slices.of(textOfEntry(service))]
  const selector = formatLabelSelector(selection.selector)
  if (sum(own, ({ endpoints }) => endpoints) > MAX_READ_AHEAD || selector.length > MAX_SELECTOR_LENGTH)
    return undefined
  const podsVersion = own.reduce(
    (newest, { resourceVersion }) => newerOf(newest, resourceVersion),
    pods.version(),
  )
  if (podsVersion === undefined) return undefined
  const named = namesOf(own)
  // Facts count for slices that are named.
  const selected = named.slices && selectedOf(tables, service, own, at)
  const mayBeRead = selected === undefined || selected.facts.addsEndpoints
  const nodes = mayBeRead ? nodesOf(pods.selected(selection).map(([, pod]) => pod)) : undefined
  return {
    slicesVersion,
    podsVersion,
    selector,
    ...named,
    nodes,
    selected,
  }
}

/**
 * Returns what is known of all Pods that a Service takes, by which its endpoints can be planned.
 * @param own its slices
 */
function selectedOf(
  tables: Tables,
  service: ServiceEntry,
  own: readonly SliceEntry[],
  at: number,
): ReadAhead['selected'] {
  const { namespace, selection } = service
  if (selection.kind !== 'managed') return undefined
  const held = new Set(own.flatMap((slice) => [...slice.pods.keys()]))
  // Why such an endpoint goes is said by its Pod.
  const hasEnded = (name: string): boolean => tables.pods.get(`${namespace}/${name}`)?.digest === NO_ENDPOINT
  const taken = tables.pods.selected(selection).map(([key]) => key.slice(namespace.length + 1))
  const pods = [...taken.take(HINTED_PODS + 1)]
  if (pods.length > HINTED_PODS || held.values().some(hasEnded)) return undefined
  const areHeld = pods.every((name) => held.has(name))
  const facts = factsOf(tables, service, { pods, isEndpoint: () => true, areHeld, at })
  return facts && { pods, facts }
}

/** Counts the selected Pods. Without a limit the count is not needed, and counting is not free. */
function selectedPods(
  pods: PodTable,
  { selection }: ServiceEntry,
  { maximumEndpoints }: HintSettings,
): number | undefined {
  if (maximumEndpoints === 0 || selection.kind !== 'managed') return undefined
  return sum(pods.selected(selection), () => 1)
}
