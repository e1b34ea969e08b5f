import type { FleetContext } from '../fleet-context.ts'
import { type FleetEvent, importAnnotationEvents, importFindingEvents } from '../fleet-events.ts'
import type { MergedService } from '../merging/merged-service.ts'
import { createPortUnion } from '../merging/port-union.ts'
import type { FleetCluster, ImportState } from '../read/read-fleet.ts'
import type { ImportPort, ServiceImport, ServiceImportSpec } from '../resources.ts'
import { type Properties, resolveSelectors, selectClusters } from '../selection/cluster-selectors.ts'
import { LABEL_CLUSTER_SET } from '../well-known.ts'
import { isOwnedBy } from './derived-service.ts'
import { createObjectWrites, importContest } from './import-contests.ts'
import { familyCondition } from './import-families.ts'
import { importedBefore, portsBefore, type WantedImport } from './import-object.ts'
import { selectedBefore } from './import-status.ts'
import { exportedPorts, type ImportSource } from './imported-endpoints.ts'
import { createSliceSync, type SlicesWritten } from './sync-slices.ts'
import { outageConditions, outageEvents } from './unreachable-clusters.ts'
import { adoptedBy, type UnreadableSources, unreadableSources } from './unreadable-sources.ts'
import { createImport, removeObjects } from './write-import.ts'

/** State that all clusters are to import. */
export interface WantedState {
  /** Undefined where no export is valid. */
  readonly merged: MergedService | undefined
  /** Parts of the clusters whose exports are valid. */
  readonly sources: readonly ImportSource[]
  /** Exporting clusters, by id, that did not say what they export, and why. */
  readonly unknown: ReadonlyMap<string, unknown>
  /** Properties that selectors of clusters read, by the cluster's id; empty where there are no selectors. */
  readonly properties: ReadonlyMap<string, PropertiesReading>
}

/** Properties of a cluster, or why they are not known. */
type PropertiesReading = { readonly properties: Properties } | { readonly error: unknown }

/** Result of a sync in one importing cluster. */
export interface ImportOutcome extends Omit<SlicesWritten, 'slices'> {
  readonly state: ImportState
  /** Events on the ServiceImport that the new state means. */
  readonly events: readonly FleetEvent[]
  /** Reason why nothing is imported there, in words for the exports' conditions. */
  readonly problem?: string
}

const NO_IMPORT: ImportState = { import: undefined, derived: undefined, slices: [] }
const NOTHING_WRITTEN = { created: 0, updated: 0, deleted: 0, fights: [], findings: [], events: [] }

/**
 * Brings a ServiceImport, its derived Service and its slices in one cluster up to date:
 * 1. The ServiceImport comes first, as it owns the others, and gets its addresses from the derived Service.
 * 2. Slices are planned apart for each source cluster; those of clusters that cannot be read stay.
 * 3. The status reports what is there.
 * A cluster without the namespace gets nothing. What others made under these names is never touched.
 * @throws ConflictError when another writer changed an object meanwhile
 * @throws KubernetesError when a write failed
 */
export async function syncImport(
  cluster: FleetCluster,
  state: ImportState,
  wanted: WantedState,
  context: FleetContext,
): Promise<ImportOutcome> {
  const nothing: ImportOutcome = { ...NOTHING_WRITTEN, state }
  const foreign = foreignObject(state, context.set)
  if (foreign !== undefined)
    return {
      ...nothing,
      problem: `${foreign.kind} ${foreign.metadata?.name} of cluster ${cluster.member.id} ${whoseIs(foreign)}`,
    }
  const unreadable = unreadableSources(state, wanted, context)
  const { frozen, outages } = unreadable
  const target = targetOf(cluster, state, { ...wanted, frozen }, context)
  // The import was deleted, and the cluster that alone knows what it was cannot be read.
  if (target === undefined && frozen.size > 0) return nothing
  const { contests } = context.guards
  const contest = importContest(cluster, state, { sources: wanted.sources, target }, context)
  const fight = contests.fight(contest)
  if (fight !== undefined) return { ...nothing, fights: [fight] }
  const slices = createSliceSync(cluster, state.slices, context)
  if (target === undefined) {
    const removed = await slices.removeAll()
    await removeObjects(cluster, state, context)
    contests.wrote(contest)
    return { ...removed, events: [], state: NO_IMPORT }
  }
  // It is already being deleted: its end is another change.
  if (state.import?.metadata?.deletionTimestamp !== undefined) return nothing
  const object = state.import ?? (await createImport(cluster, target.wanted, context))
  if (object === undefined) return nothing
  const writes = createObjectWrites(cluster, state, { of: contest.of, object, ...target }, context)
  const derived = await writes.derived()
  const [updated, written] = await Promise.all([
    writes.import(derived),
    slices.sync({
      import: object,
      derived,
      // Ports that only a frozen part has lead to nothing that can be read.
      ports: wanted.merged?.spec.ports ?? [],
      policy: target.wanted.policy,
      selected: target.selected,
      sources: wanted.sources,
      frozen,
      ...adoptedBy(object, state.slices, unreadable),
    }),
  ])
  const families = familyCondition({
    ...{ home: cluster.member.id, derived, sources: wanted.sources },
    slices: written.slices,
  })
  const wantedConditions = [families ?? [], outageConditions(outages)].flat()
  const { clusters, selected } = target
  const reported = await writes.status(updated, { clusters, wantedConditions, selected })
  const hasWritten = written.created + written.updated + written.deleted > 0
  if (hasWritten || reported !== state.import || derived !== state.derived) contests.wrote(contest)
  return {
    ...written,
    fights: [...written.fights, ...writes.fights],
    events: [
      ...outageEvents(object, reported, outages),
      ...importAnnotationEvents(reported),
      ...importFindingEvents(written.findings, reported),
    ],
    state: { import: reported, derived, slices: written.slices },
    problem: families?.message,
  }
}

interface Target {
  readonly wanted: WantedImport
  /** Ids of the clusters that export. */
  readonly clusters: readonly string[]
  /** Clusters that each selector selects; absent without selectors, and before their first evaluation. */
  readonly selected?: readonly (readonly string[])[] | undefined
}

/**
 * Returns what is to be imported; undefined for nothing. The exports that can be read decide. The ports of
 * clusters that cannot be read stay beside those, as if their exports were the youngest. Where no other
 * export is left, the import stays as it is, for their endpoints.
 */
function targetOf(
  { version, member }: FleetCluster,
  { import: object }: ImportState,
  { merged, sources, frozen, properties }: WantedState & Pick<UnreadableSources, 'frozen'>,
  { set, namespace, name, guards: { writer } }: FleetContext,
): Target | undefined {
  const before = frozen.size > 0 && object !== undefined ? importedBefore(object) : undefined
  const content = merged ?? before
  if (content === undefined) return undefined
  const left = before && object ? portsBefore(object, frozen) : []
  const union = createPortUnion()
  for (const port of merged?.spec.ports ?? []) union.add(port)
  for (const port of left) union.add(port)
  // The exports that are left may have had none of them: their own were hidden by another one's.
  const ports = [...(union.ports.length === 0 ? content.spec.ports : union.ports)]
  const positions = (own: readonly ImportPort[]): number[] =>
    own
      .map(({ name }) => ports.findIndex((port) => (port.name ?? '') === (name ?? '')))
      .filter((at) => at >= 0)
  // An export that has no policy agrees with any: the one of a cluster that cannot be read goes on.
  const policy = content.policy ?? before?.policy
  const portsOf: Record<string, number[]> = {}
  for (const id of frozen) portsOf[id] = positions(portsBefore(object ?? {}, new Set([id])))
  for (const { cluster, service } of sources)
    portsOf[cluster] = positions([...exportedPorts(service, ports).values()])
  const clusters = [...new Set([...(merged?.clusters ?? []), ...frozen])].sort()
  const { clusterSelectors, selected } = selectionFor(member.id, { content, clusters, properties, object })
  const spec = { ...content.spec, ports, clusterSelectors }
  return {
    wanted: { ...content, spec, policy, portsOf, set, version, namespace, name, writer },
    ...{ clusters, selected },
  }
}

/**
 * Evaluates the selectors for one importing cluster. While the properties of one of the clusters are not
 * known, the whole result of before stays (KEP-5939).
 */
function selectionFor(
  importer: string,
  {
    content: { spec },
    clusters,
    properties,
    object,
  }: Pick<Target, 'clusters'> &
    Pick<WantedState, 'properties'> & {
      readonly content: Pick<MergedService, 'spec'>
      readonly object: ServiceImport | undefined
    },
): Pick<ServiceImportSpec, 'clusterSelectors'> & Pick<Target, 'selected'> {
  const { clusterSelectors: selectors } = spec
  if (selectors === undefined) return {}
  const known = new Map(
    [...properties].flatMap(([id, reading]) =>
      'properties' in reading ? [[id, reading.properties] as const] : [],
    ),
  )
  const own = known.get(importer)
  if (own === undefined || clusters.some((id) => !known.has(id))) {
    const clusterSelectors = object?.spec?.clusterSelectors ?? selectors
    return { clusterSelectors, selected: selectedBefore(object) }
  }
  const exporting = new Map(clusters.map((id) => [id, known.get(id) ?? {}]))
  const selected = selectClusters(selectors, own, exporting)
  return { clusterSelectors: resolveSelectors(selectors, own), selected }
}

/** Returns the object that has a name that we would use and is not ours; undefined where there is none. */
function foreignObject(state: ImportState, set: string): Foreign | undefined {
  const { import: object, derived } = state
  if (object !== undefined && !isOurImport(state, set)) return { ...object, kind: 'ServiceImport' }
  const isOurs = isLabelled(derived, set) || (derived && isOwnedBy(derived, object?.metadata))
  return derived === undefined || isOurs ? undefined : { ...derived, kind: 'Service' }
}

interface Foreign extends Pick<ServiceImport, 'metadata'> {
  readonly kind: string
}

/** Says whose an object is, and what to do. */
function whoseIs({ metadata }: Foreign): string {
  const other = metadata?.labels?.[LABEL_CLUSTER_SET]
  return other === undefined
    ? 'is not of this cluster set, and is left alone: delete it, and Sliceflow creates its own'
    : `is of cluster set ${other}, and is left alone: call this set ${other}, or have that set remove it (role leave)`
}

/** Reports whether an import is of the set: by its label, or by objects of the set that it owns. */
const isOurImport = ({ import: object, derived, slices }: ImportState, set: string): boolean =>
  isLabelled(object, set) ||
  [...(isLabelled(derived, set) ? [derived] : []), ...slices].some((owned) =>
    isOwnedBy(owned ?? {}, object?.metadata),
  )

const isLabelled = (object: Pick<ServiceImport, 'metadata'> | undefined, set: string): boolean =>
  object?.metadata?.labels?.[LABEL_CLUSTER_SET] === set
