import {
  isSealed,
  isVerifiable,
  type PodSelection,
  type SyncHint,
  withControls,
} from '../../changes/index.ts'
import {
  addressTypesOf,
  type EndpointSlice,
  hintModeOf,
  isPlaceholder,
  LABEL_MANAGED_BY,
  ownerOfKind,
  type Pod,
  plan,
  type Service,
  type SlicePlan,
} from '../../endpointslice/index.ts'
import { ENDPOINT_SLICES, matchesLabels, PODS } from '../../kubernetes/index.ts'
import type { KeyMessage } from '../../queue/index.ts'
import type { Settings } from '../../settings/index.ts'
import { otherWriter } from '../guards/fights/contests.ts'
import type { GuardLimits } from '../guards/guard.ts'
import { GUARDS } from '../guards/guard-list.ts'
import { checkPlan, type GuardFinding, isBlocked } from '../guards/guard-plan.ts'
import { isNoted } from '../guards/published/slice-annotations.ts'
import { withOwnNotes } from '../guards/published/slice-notes.ts'
import { nodesOf } from '../read/node-reader.ts'
import { addsNoEndpoint, areAsRelaySaw, type HintedPods, podsOfFacts } from '../read/pods-of-facts.ts'
import { minimumResourceVersion, readNotOlderThan, readObject } from '../read/read-object.ts'
import { apisOf, type OwnerReader } from '../read/read-owner.ts'
import { versionsOf } from '../verify-after-write.ts'
import type { CachedState, HintedState } from '../write/state-cache.ts'
import type { KeySync } from './key-sync.ts'

/** Reason why a hint did not suffice and a full sync is needed. */
export type FullSyncReason =
  /** The message names no Pods, or has been received before. */
  | 'NoHint'
  /**
   * A setting that needs all endpoints: `packing` compact, or that of a guard, such as `maximumRemoval`, or
   * `maximumEndpoints` unless the hint names fewer.
   */
  | 'Settings'
  /** A named slice is gone, of another manager or Service, edited, noted on, or empty and no placeholder. */
  | 'Slice'
  /** The Service is gone, being deleted, replaced, or its slices do not hold Pods of its namespace. */
  | 'Service'
  /** The Service asks for topology hints by CPU. */
  | 'TopologyHints'
  /** A slice would have to be made or taken away. */
  | 'Packing'
  /** A guard would block the part of the plan that the hint gives. */
  | 'Guard'
  /** Slices were written meanwhile, and more than a few. */
  | 'Contention'

/** Thrown to fall back to a full sync; caught in sync-service. */
export class FullSyncRequired extends Error {
  override readonly name = 'FullSyncRequired'
  readonly fullSyncReason: FullSyncReason

  constructor(fullSyncReason: FullSyncReason) {
    super(`a hint does not suffice: ${fullSyncReason}`)
    this.fullSyncReason = fullSyncReason
  }
}

interface HintedSyncOptions
  extends Pick<KeySync, 'home' | 'key' | 'settings' | 'select' | 'guards' | 'cache' | 'signal'> {
  readonly owners: Pick<OwnerReader, 'read'>
}

/** A plan for the Pods that a hint names: it only updates some of the slices that were read. */
interface HintedPlan {
  readonly service: Service
  /** The slices as they were before. */
  readonly slices: readonly EndpointSlice[]
  readonly planned: SlicePlan
  readonly findings: readonly GuardFinding[]
  /** Pods of the hint that exist, and which of them the Service selects. */
  readonly pods: readonly Pod[]
  readonly selected: readonly Pod[]
  /** Whether these are made of facts. */
  readonly byFacts: boolean
}

/**
 * Syncs the Pods that a hint names, with the slices that hold them or have room for them, and nothing else of
 * the Service. Nothing of the hint is taken for a fact but where to read, unless {@link podsOfFacts}
 * says so:
 * 1. The slices are read, and must be ours as we left them; then the Service. Slices and Service that are
 *    cached count as read.
 * 2. The Pods are read, and the Nodes of those that the Service selects; or they are made from facts, if
 *    these only change conditions.
 * 3. The Pods' endpoints are planned; all others stay as they are.
 * The relay verifies what is written by it, also that no other slice holds the Pods.
 * @throws FullSyncRequired when a full sync is needed
 * @throws KubernetesError when a read failed
 */
export async function syncHintedPods(hint: SyncHint, options: HintedSyncOptions): Promise<HintedPlan> {
  const { settings, guards } = options
  if (needsAllEndpoints(settings, hint.selected ?? 0)) throw new FullSyncRequired('Settings')
  // 1.
  const state = await readHinted(hint, options)
  const { service, slices } = state
  const endpoints = hint.selected && hint.selected * addressTypesOf(service).length
  if (needsAllEndpoints(withControls(service, settings), endpoints)) throw new FullSyncRequired('Settings')
  const selection = ownSelectionOf(service, options)
  // 2. and 3.
  const plannedFacts = planFacts(hint, { ...state, selection }, options)
  const byFacts = plannedFacts !== undefined
  const { pods, selected, planned } = plannedFacts ?? (await planRead(hint, { ...state, selection }, options))
  if (planned.create.length + planned.delete.length > 0) throw new FullSyncRequired('Packing')
  // Whether two of us contend is decided for the whole Service.
  if (otherWriter(slices, guards.writer) !== undefined) throw new FullSyncRequired('Slice')
  const part = { service, slices, planned }
  const input = { ...part, isPart: true, losses: undefined, now: guards.now() } as const
  const findings = checkPlan(input, settings)
  if (isBlocked(findings)) throw new FullSyncRequired('Guard')
  return { ...part, findings, pods, selected, byFacts }
}

interface SelectedState extends ReadState {
  readonly selection: PodSelection
}

/**
 * Plans by the facts of the message; nothing if they do not count. They may add an endpoint only if they are
 * marked so, which the consumer lets through from a queue of its own alone.
 */
function planFacts(
  hint: SyncHint,
  state: SelectedState,
  { key, guards, settings }: HintedSyncOptions,
): PlannedPods | undefined {
  const known = podsOfFacts(hint, { key, state, now: guards.now() })
  if (known === undefined) return undefined
  const planned = planPods(hint, { ...state, ...known }, { key, guards, settings })
  const isAllowed = hint.facts?.addsEndpoints === true || addsNoEndpoint(state.slices, planned)
  return isAllowed ? { ...known, planned } : undefined
}

async function planRead(
  hint: SyncHint,
  state: SelectedState,
  options: HintedSyncOptions,
): Promise<PlannedPods> {
  const { home, key, signal } = options
  const { slices, selection } = state
  const pods = state.pods ?? (await readPods(hint, podsMinimum(slices, options), options))
  const selected = pods.filter(({ metadata }) => matchesLabels(selection.selector, metadata?.labels ?? {}))
  const names = nodesOf(selected)
  const wanted = { names, nodesVersion: key.nodesVersion, history: key.history, slices, signal }
  const nodes = names.size > 0 ? await home.nodes.named(wanted) : []
  return { pods, selected, planned: planPods(hint, { ...state, selected, nodes }, options) }
}

interface PlannedPods extends Omit<HintedPods, 'nodes'> {
  readonly planned: SlicePlan
}

function planPods(
  { pods: names }: SyncHint,
  { service, slices, selected, nodes }: HintedState & Omit<HintedPods, 'pods'>,
  { key, guards, settings }: Pick<HintedSyncOptions, 'key' | 'guards' | 'settings'>,
): SlicePlan {
  const filtered = guards.addresses.filter({ pods: selected, nodes, skipped: [] })
  const planned = plan(
    { service, slices, pods: filtered.pods, nodes },
    {
      maxEndpointsPerSlice: settings.maxEndpointsPerSlice,
      managedBy: settings.managedBy,
      triggerTime: key.triggerTime,
      comparedLabels: 'all',
      onlyPods: new Set(names),
    },
  )
  return { ...planned, skipped: [...filtered.skipped, ...planned.skipped] }
}

const needsAllEndpoints = (
  settings: GuardLimits & Pick<Settings, 'packing'>,
  endpoints: number | undefined,
): boolean =>
  settings.packing !== 'upstream' ||
  GUARDS.some((guard) => guard.needsAllEndpoints?.(settings, endpoints) === true)

/** Slices and Service as they were read, and the Pods if they were read with them. */
interface ReadState extends CachedState {
  readonly pods?: readonly Pod[]
}

async function readHinted(hint: SyncHint, options: HintedSyncOptions): Promise<ReadState> {
  const { key, settings, cache } = options
  const state: ReadState =
    cache.find(key, hint) ?? (await readAtOnce(hint, options)) ?? (await readInOrder(hint, options))
  const { service, slices } = state
  if (!slices.every((slice) => isAsWeLeftIt(slice, key, settings.managedBy)))
    throw new FullSyncRequired('Slice')
  const isGoing = typeof service.metadata?.deletionTimestamp === 'string'
  if (isGoing || !slices.every((slice) => ownerOfKind(service.kind).owns(slice, service)))
    throw new FullSyncRequired('Service')
  return state
}

async function readInOrder(hint: SyncHint, options: HintedSyncOptions): Promise<ReadState> {
  const slices = await readSlices(hint, options)
  const notOlderThan = podsMinimum(slices, options)
  const [service, pods] = await Promise.all([
    readService(slices, options),
    readPods(hint, notOlderThan, options),
  ])
  return { slices, service, pods }
}

const podsMinimum = (
  slices: readonly EndpointSlice[],
  { key }: Pick<HintedSyncOptions, 'key'>,
): string | undefined => minimumResourceVersion(key.resourceVersion, versionsOf(slices).values())

/**
 * Reads slices, Service and Pods in one round instead of three. That is as good as the slices first if slices
 * and Service have the versions that the relay had seen, and the Pods are read at a version above them: then
 * no writer of the slices has read anything newer.
 * @returns undefined if the message does not say so much, or the versions are others
 */
async function readAtOnce(hint: SyncHint, options: HintedSyncOptions): Promise<ReadState | undefined> {
  const { home, key, signal } = options
  const { sliceVersions, facts, nodes = [] } = hint
  if (sliceVersions === undefined || key.serviceVersion === undefined) return undefined
  const notOlderThan = minimumResourceVersion(key.resourceVersion, sliceVersions)
  if (facts === undefined && notOlderThan === undefined) return undefined
  const { nodesVersion, history } = key
  const names = new Set(facts === undefined ? nodes : [])
  const [slices, service, pods] = await Promise.all([
    readSlices(hint, options),
    readService([], options),
    facts === undefined ? readPods(hint, notOlderThan, options) : undefined,
    // They are cached, for those that are found to be selected.
    names.size > 0 ? home.nodes.named({ names, nodesVersion, history, signal }) : undefined,
  ])
  return areAsRelaySaw(hint, key, { service, slices })
    ? { service, slices, ...(pods && { pods }) }
    : undefined
}

/**
 * Returns the selection of a Service that takes Pods of its own namespace and cluster, by their own
 * addresses.
 * @throws FullSyncRequired for any other
 */
function ownSelectionOf(service: Service, { select }: HintedSyncOptions): PodSelection {
  const selection = select(service)
  if (selection.kind !== 'managed' || !isVerifiable({ selection, topologyHints: false }))
    throw new FullSyncRequired('Service')
  if (hintModeOf(service) === 'topology') throw new FullSyncRequired('TopologyHints')
  return selection
}

async function readSlices(
  { slices: names }: SyncHint,
  { home: { client }, key, signal }: HintedSyncOptions,
): Promise<EndpointSlice[]> {
  const read = await Promise.all(
    // By name, as an API server lists them: the order decides where a duplicate stays.
    names
      .toSorted()
      .map((name) => readObject(client, ENDPOINT_SLICES, { namespace: key.namespace, name }, { signal })),
  )
  const slices = read.filter((slice) => slice !== undefined).map(withOwnNotes)
  if (slices.length < names.length) throw new FullSyncRequired('Slice')
  return slices
}

function isAsWeLeftIt(slice: EndpointSlice, key: KeyMessage, managedBy: string): boolean {
  const { labels, deletionTimestamp } = slice.metadata ?? {}
  if (labels?.[LABEL_MANAGED_BY] !== managedBy || ownerOfKind(key.ownerKind).nameOf(slice) !== key.service)
    return false
  // One without endpoints is to be deleted, unless it is a placeholder.
  if (typeof deletionTimestamp === 'string' || !(slice.endpoints?.length || isPlaceholder(slice)))
    return false
  return isSealed(slice) && !isNoted(slice)
}

async function readService(
  slices: readonly EndpointSlice[],
  { home: { client }, owners, key, signal }: HintedSyncOptions,
): Promise<Service> {
  const [api, ...others] = apisOf(slices)
  if (others.length > 0) throw new FullSyncRequired('Slice')
  const service = await owners.read(client, key, { api, signal })
  if (service === undefined) throw new FullSyncRequired('Service')
  return service
}

/** Reads the Pods that exist; with a minimum version the API server's cache answers, at half the cost. */
async function readPods(
  { pods: names }: SyncHint,
  notOlderThan: string | undefined,
  { home: { client }, key, signal }: HintedSyncOptions,
): Promise<Pod[]> {
  const pods = names.map((name) =>
    readNotOlderThan(notOlderThan, (version) =>
      readObject(client, PODS, { namespace: key.namespace, name }, { notOlderThan: version, signal }),
    ),
  )
  return (await Promise.all(pods)).filter((pod) => pod !== undefined)
}
