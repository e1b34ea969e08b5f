import {
  isAsNew,
  nodeNamed,
  type PodSelection,
  type PodsFacts,
  podOfFacts,
  type ReadAhead,
  type SyncHint,
} from '../../changes/index.ts'
import type { Endpoint, EndpointSlice, Node, Pod, SlicePlan } from '../../endpointslice/index.ts'
import { formatLabelSelector } from '../../kubernetes/index.ts'
import type { KeyMessage } from '../../queue/index.ts'
import { versionsOf } from '../verify-after-write.ts'
import type { CachedState } from '../write/state-cache.ts'
import { minimumResourceVersion } from './read-object.ts'

/** Longest age of facts that count, in milliseconds. Lanes deliver within some 100 ms; a backlog is read. */
const MAX_FACTS_AGE_MS = 3_000
/** The relay's clock may be ahead of ours by this number of milliseconds. */
const CLOCK_AHEAD_MS = 1_000

/** Pods of a hint, which of them the Service selects, and their Nodes. */
export interface HintedPods {
  readonly pods: readonly Pod[]
  readonly selected: readonly Pod[]
  readonly nodes: readonly Node[]
}

export interface FactsQuestion {
  readonly key: KeyMessage
  readonly state: CachedState & { readonly selection: PodSelection }
  /** In milliseconds since the epoch. */
  readonly now: number
}

/**
 * Makes the Pods of a hint from what the relay has seen of them, so that they need not be read. The facts
 * count if all of this holds; a message that is received again has no hint any more:
 * 1. The relay made the message in the last seconds.
 * 2. Service and slices are those that the relay had seen, in exactly these versions.
 * 3. The relay had seen every Pod up to a version above those of the slices (KEP-5504): the Pods are at least
 *    as new as those that the slices were written from.
 *    Instead of 2 and 3, a slice may be one that this process has written since from facts.
 * 4. This process has not synced the Service by newer Pods.
 * 5. The relay selects as we do, whatever its settings.
 *
 * What is left is a message that a later one overtook in another process, which found nothing to write: its
 * facts are published, until the relay sees the write and verifies it 200 ms later. See
 * docs/decisions/0017-facts-beside-hints.md.
 * @returns undefined where the Pods must be read
 */
export function podsOfFacts(hint: SyncHint, { key, state, now }: FactsQuestion): HintedPods | undefined {
  const { facts, pods: names } = hint
  if (facts === undefined) return undefined
  const { selection } = state
  const { podsVersion = key.podsVersion } = facts
  if (!isRecent(facts, now)) return undefined
  if (!isServiceAsRelaySaw(key, state) || !areWrittenFromSeen(hint, podsVersion, state)) return undefined
  if (isOlder(podsVersion, state.podsVersion)) return undefined
  if (facts.selector !== formatLabelSelector(selection.selector)) return undefined
  return hintedPods(names, facts, key)
}

type SelectedQuestion = Pick<FactsQuestion, 'key' | 'now'> & Pick<CachedState, 'podsVersion'>

/**
 * Makes all Pods that a Service selects from what the relay has seen of them, for a full sync. The conditions
 * are those of {@link podsOfFacts}; AheadReads checks 2, 3 and 5, once it has read Service and slices. Where
 * only 3 does not hold, they count for a plan that changes no endpoint: nothing has happened to Pods since
 * the slices were written, as usual in a quiet cluster, or else such a plan shows that the slices know it.
 * @returns undefined where the Pods must be read
 */
export function selectedOfFacts(
  { pods, facts }: NonNullable<ReadAhead['selected']>,
  { key, podsVersion, now }: SelectedQuestion,
): HintedPods | undefined {
  if (!isRecent(facts, now) || isOlder(key.podsVersion, podsVersion)) return undefined
  return hintedPods(pods, facts, key)
}

function isRecent({ at }: PodsFacts, now: number): boolean {
  const ageMs = now - at
  return ageMs <= MAX_FACTS_AGE_MS && ageMs >= -CLOCK_AHEAD_MS
}

/**
 * Reports whether all slices were written from Pods that are no newer than those that the relay had seen, or
 * by this process from facts.
 */
function areWrittenFromSeen(
  hint: SyncHint,
  podsVersion: string | undefined,
  { slices, byFacts, podsVersion: synced }: CachedState,
): boolean {
  return versionsAsSeen(hint, slices).every(
    ([name, version]) =>
      (synced !== undefined && byFacts?.has(name)) ||
      (version !== undefined && minimumResourceVersion(podsVersion, [version]) !== undefined),
  )
}

/** Reports whether Service and slices have the versions that the message names. */
export function areAsRelaySaw(
  seen: SeenSlices,
  key: KeyMessage,
  { service, slices }: Pick<CachedState, 'service' | 'slices'>,
): boolean {
  if (seen.sliceVersions === undefined || !isServiceAsRelaySaw(key, { service })) return false
  return versionsAsSeen(seen, slices).every(([, version]) => version !== undefined)
}

type SeenSlices = Pick<SyncHint, 'slices' | 'sliceVersions'>

/** Returns the version of each slice that a message names; undefined where the relay had seen another. */
function versionsAsSeen(
  { slices: names, sliceVersions }: SeenSlices,
  slices: readonly EndpointSlice[],
): (readonly [name: string, version: string | undefined])[] {
  const read = versionsOf(slices)
  return names.map((name, at) => {
    const version = read.get(name)
    return [name, version === sliceVersions?.[at] ? version : undefined]
  })
}

/** Reports whether the Service has the version that the message names. */
export const isServiceAsRelaySaw = (
  { serviceVersion }: KeyMessage,
  { service }: Pick<CachedState, 'service'>,
): boolean => serviceVersion !== undefined && service.metadata?.resourceVersion === serviceVersion

const isOlder = (version: string | undefined, known: string | undefined): boolean =>
  known !== undefined && !isAsNew(version, known)

function hintedPods(
  names: readonly string[],
  { pods: all }: PodsFacts,
  { namespace, resourceVersion }: KeyMessage,
): HintedPods {
  const pods: Pod[] = []
  const selected: Pod[] = []
  const nodes = new Map<string, Node>()
  for (const [at, name] of names.entries()) {
    const facts = all[at]
    if (facts === undefined || facts === null) continue
    const made = podOfFacts(`${namespace}/${name}`, facts.endpoint, facts.ports)
    // The version that the message names is that of the newest of its Pods.
    const pod = names.length > 1 ? made : { ...made, metadata: { ...made.metadata, resourceVersion } }
    pods.push(pod)
    if (facts.isSelected !== false) selected.push(pod)
    const node = pod.spec?.nodeName ?? ''
    if (facts.zone !== undefined) nodes.set(node, nodeNamed(node, { zone: facts.zone }))
  }
  return { pods, selected, nodes: [...nodes.values()] }
}

/** What a plan made of facts may not do: bring what no slice has, or change an endpoint at all. */
export type FactsLimit = 'noneAdded' | 'noneChanged'

/** Reports whether a plan keeps to what the facts that it was made of are good for. */
export const isWithin = (limit: FactsLimit, before: readonly EndpointSlice[], planned: SlicePlan): boolean =>
  limit === 'noneAdded' ? addsNoEndpoint(before, planned) : changesNoEndpoint(before, planned)

/** Reports whether a plan only moves endpoints between slices, and changes what is not of endpoints. */
function changesNoEndpoint(before: readonly EndpointSlice[], planned: SlicePlan): boolean {
  const { create, update, delete: removed } = planned
  const names = new Set([...update, ...removed].map(({ metadata }) => metadata?.name))
  const replaced = before.filter(({ metadata }) => names.has(metadata?.name))
  const statesIn = (slices: readonly EndpointSlice[]): string =>
    slices
      .flatMap(({ endpoints }) => endpoints?.map(stateOf) ?? [])
      .sort()
      .join()
  return statesIn(replaced) === statesIn([...create, ...update])
}

/**
 * Reports whether a plan only changes conditions, moves endpoints between slices and removes some. No address
 * is taken from a message: a sender of messages can make an endpoint unready for 200 ms, but cannot lead
 * traffic elsewhere.
 */
export function addsNoEndpoint(before: readonly EndpointSlice[], { create, update }: SlicePlan): boolean {
  const known = new Set(before.flatMap(({ endpoints }) => endpoints?.map(placeOf) ?? []))
  return [...create, ...update].every(
    ({ endpoints }) => endpoints?.every((endpoint) => known.has(placeOf(endpoint))) ?? true,
  )
}

/** Everything of an endpoint but its conditions and the topology hints that follow from them. */
const placeOf = ({ addresses, hostname, nodeName, zone, targetRef }: Endpoint): string => {
  const { kind, namespace, name, uid } = targetRef ?? {}
  return JSON.stringify([addresses, hostname, nodeName, zone, kind, namespace, name, uid])
}

const stateOf = (endpoint: Endpoint): string => {
  const { ready, serving, terminating } = endpoint.conditions ?? {}
  return `${placeOf(endpoint)}${JSON.stringify([ready, serving, terminating])}`
}
