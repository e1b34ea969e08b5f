import type { EndpointSlice } from '../endpointslice/index.ts'
import { isUnreachable, type Unverified, unverified } from '../reconciler/index.ts'
import type { MergedService } from './export-verdict.ts'
import type { FleetContext } from './fleet-context.ts'
import { type FleetEvent, importHoldEvent } from './fleet-events.ts'
import { importedBefore, type WantedImport } from './import-object.ts'
import type { ImportSource } from './imported-endpoints.ts'
import { type Outages, outageEvents, outageVerdicts, toldOutages } from './outages.ts'
import type { FleetCluster, ImportState } from './read-fleet.ts'
import { createSliceSync, type SlicesWritten } from './sync-slices.ts'
import { LABEL_CLUSTER_SET, LABEL_SOURCE_CLUSTER } from './well-known.ts'
import { createImport, removeObjects, syncDerived, updateImport, updateStatus } from './write-import.ts'

/** State that all clusters are to import. */
export interface WantedState {
  /** Undefined where no export is valid. */
  readonly merged: MergedService | undefined
  /** Parts of the clusters whose exports are valid. */
  readonly sources: readonly ImportSource[]
  /** Exporting clusters, by id, that did not say what they export, and why. */
  readonly unknown: ReadonlyMap<string, unknown>
}

/** Result of a sync in one importing cluster. */
export interface ImportOutcome extends Omit<SlicesWritten, 'slices'> {
  /** State of the cluster after the sync. */
  readonly state: ImportState
  /** Events on the ServiceImport that the new state means. */
  readonly events: readonly FleetEvent[]
  /** Reason why nothing is imported there, in words for the exports' conditions. */
  readonly problem?: string
}

const NO_IMPORT: ImportState = { import: undefined, derived: undefined, slices: [] }

/**
 * Brings a ServiceImport, its derived Service and its slices in one cluster up to date:
 * 1. The ServiceImport comes first, as it owns the others, and gets its addresses from the derived Service.
 * 2. Slices are planned apart for each source cluster; those of clusters that did not answer stay.
 * 3. The status tells what is there.
 * A cluster without the namespace gets nothing. What others made under these names is never touched.
 * @throws ConflictError where somebody else wrote meanwhile
 * @throws KubernetesError when a write failed
 */
export async function syncImport(
  cluster: FleetCluster,
  state: ImportState,
  wanted: WantedState,
  context: FleetContext,
): Promise<ImportOutcome> {
  const nothing: ImportOutcome = {
    created: 0,
    updated: 0,
    deleted: 0,
    fights: [],
    hold: { kind: 'none' },
    events: [],
    state,
  }
  const foreign = foreignObject(state, context.set)
  if (foreign !== undefined)
    return { ...nothing, problem: `${foreign} of cluster ${cluster.member.id} is not of this cluster set` }
  const unreachable = unreachableSources(state, wanted, context)
  const target = targetOf(cluster, state, { ...wanted, kept: unreachable.kept }, context)
  const slices = createSliceSync(cluster, state.slices, context)
  if (target === undefined) {
    const removed = await slices.removeAll()
    await removeObjects(cluster, state, context)
    return { ...removed, events: [], state: NO_IMPORT }
  }
  // The garbage collector, or whoever asked for it, is at it: its end is another change.
  if (state.import?.metadata?.deletionTimestamp !== undefined) return nothing
  const object = state.import ?? (await createImport(cluster, target.wanted, context))
  if (object === undefined) return nothing
  const derived = await syncDerived(cluster, state.derived, { owner: object, ...target }, context)
  const [updated, written] = await Promise.all([
    updateImport(cluster, object, { ...target, derived }, context),
    slices.sync({
      import: object,
      derived,
      ports: target.wanted.spec.ports,
      policy: target.wanted.policy,
      sources: wanted.sources,
      ...unreachable,
    }),
  ])
  const { outages } = unreachable
  const findings = { clusters: target.clusters, verdicts: outageVerdicts(outages) }
  const told = await updateStatus(cluster, updated, findings, context)
  const held = importHoldEvent(written.hold, told, context.settings)
  return {
    ...written,
    events: [...outageEvents(object, told, outages), ...(held ? [held] : [])],
    state: { import: told, derived, slices: written.slices },
  }
}

interface Target {
  readonly wanted: WantedImport
  /** Ids of the clusters that export. */
  readonly clusters: readonly string[]
}

/**
 * Returns what is to be imported; undefined for nothing. While a cluster that gave something does not answer,
 * nobody can say what it exports by now, and the import stays as it was.
 */
function targetOf(
  { version }: FleetCluster,
  { import: existing }: ImportState,
  { merged, kept }: WantedState & Pick<UnreachableSources, 'kept'>,
  { set, namespace, name }: FleetContext,
): Target | undefined {
  const before = kept.size > 0 && existing !== undefined ? importedBefore(existing) : undefined
  const content = before ?? merged
  if (content === undefined) return undefined
  return {
    wanted: { ...content, set, version, namespace, name },
    clusters: [...new Set([...(merged?.clusters ?? []), ...kept])].sort(),
  }
}

/** Names the object that has a name that we would use and is not ours; undefined where there is none. */
function foreignObject({ import: object, derived }: ImportState, set: string): string | undefined {
  if (object !== undefined && object.metadata?.labels?.[LABEL_CLUSTER_SET] !== set)
    return `ServiceImport ${object.metadata?.name}`
  if (derived !== undefined && derived.metadata?.labels?.[LABEL_CLUSTER_SET] !== set)
    return `Service ${derived.metadata?.name}`
  return undefined
}

interface UnreachableSources {
  /** Ids of clusters that gave something to the import, and whose slices stay. */
  readonly kept: ReadonlySet<string>
  /** Slices with a note since when they could not be verified. */
  readonly notes: readonly EndpointSlice[]
  /** Outages to tell of: of clusters that gave something, also where that is gone by now. */
  readonly outages: Outages
}

/** Finds the clusters whose endpoints stay as nobody can say what they export. */
function unreachableSources(
  state: ImportState,
  { unknown }: WantedState,
  context: FleetContext,
): UnreachableSources {
  const kept = new Set<string>()
  const notes: EndpointSlice[] = []
  const outages = new Map<string, string>()
  const told = toldOutages(state.import)
  const contributed = new Set((state.import?.status?.clusters ?? []).map(({ cluster }) => cluster))
  for (const [id, error] of unknown) {
    const own = state.slices.filter(({ metadata }) => metadata?.labels?.[LABEL_SOURCE_CLUSTER] === id)
    const policy = policyOf(error, own, contributed.has(id), context)
    if (policy.kind === 'none' && !told.has(id)) continue
    const isKept = policy.kind === 'kept' || policy.kind === 'noted'
    if (isUnreachable(error))
      outages.set(id, isKept ? keptText(context.settings) : 'its endpoints are left out')
    if (isKept) kept.add(id)
    if (policy.kind === 'noted') notes.push(...policy.changes.update)
  }
  return { kept, notes, outages }
}

/**
 * Decides about the endpoints of a cluster that does not say what it exports; `none` where it gave nothing. A
 * failure that is not the network's is a fault of a configuration: it takes no endpoint away.
 */
function policyOf(
  error: unknown,
  own: readonly EndpointSlice[],
  hasContributed: boolean,
  { settings, now }: FleetContext,
): Unverified | { readonly kind: 'none' } {
  if (!hasContributed && own.length === 0) return { kind: 'none' }
  if (!isUnreachable(error)) return { kind: 'kept' }
  const policy = unverified(own, settings, now())
  // Without a slice there is no note that could ever expire.
  return policy.kind === 'noted' && own.length === 0 ? { kind: 'dropped' } : policy
}

/** Says how long endpoints stay that cannot be verified. */
const keptText = ({ unreachableCluster, unreachableClusterExpiry }: FleetContext['settings']): string =>
  unreachableCluster === 'expire'
    ? `its endpoints stay as they were, for ${unreachableClusterExpiry} s at most`
    : 'its endpoints stay as they were'
