import type { Pod } from '../../endpointslice/index.ts'
import { createObjectTable, type Resource } from '../../kubernetes/index.ts'
import type { Mode, Settings } from '../../settings/index.ts'
import {
  type ComparedKey,
  type ComparisonSettings,
  compareWithDesired,
  type SliceState,
} from '../compare-with-desired.ts'
import { ClusterHistory } from '../history.ts'
import { keyDigests } from '../key-digests.ts'
import type { Change } from '../key-queue/change.ts'
import { type KeyText, ownerText, parseOwnerText, type ServiceKey } from '../key-queue/key.ts'
import type { KeyHints } from '../key-queue/sync-hint.ts'
import { isLeftover, leftoversOf } from '../seal/leftovers.ts'
import type { MalformedObject } from '../selection/object-form.ts'
import { ownNamespaceOnly, type PermissionSettings, type Permissions } from '../sources/permissions.ts'
import type { AskingService, Source } from '../sources/source.ts'
import { createNodeTable } from '../tables/node-table.ts'
import { createOwnerTables, joinOwnerTables } from '../tables/owner-table.ts'
import { createPodTable } from '../tables/pod-table.ts'
import { SelectorsByCluster } from '../tables/selector-index.ts'
import { createServiceTable, type ServiceEntry, type ServiceTable } from '../tables/service-table.ts'
import { createSliceTable, NO_SERVICE } from '../tables/slice-table.ts'
import { createKindIndex, type KindIndex } from './kind-index.ts'
import { type IndexParts, KIND_NAMES, KINDS, type Kind, type KindName } from './kinds.ts'
import { Projections } from './projections.ts'
import { isOurs } from './service-facts.ts'
import { type HintSettings, hintsOf, podsAlong } from './sync-hints.ts'
import { changeOf, keyChange, sum, type Tables } from './tables.ts'
import { createWrittenSlices } from './written-slices.ts'

type ObjectOf<Name extends KindName> = (typeof KINDS)[Name]['resource'] extends Resource<infer T> ? T : never

/** An index of each kind; those that are not watched stay empty. */
export type KindIndexes = { readonly [Name in KindName]: KindIndex<ObjectOf<Name>> }

/**
 * Stores of a cluster what decides which Services a change concerns, and no more: of a Service its
 * selector and a digest, of a Pod its labels and what enters an endpoint, of a Node its zone and capacity, of
 * a slice its Service and Pods.
 */
export interface ClusterIndex extends KindIndexes {
  /** History of the versions that are remembered. */
  readonly history: ClusterHistory
  /**
   * Returns every key that this cluster concerns: the managed Services, those with Endpoints to mirror, those
   * that slices of ours name though they are not managed or gone, projections of Services, and the Services
   * of other clusters that take pods of this one.
   */
  keys(): Change[]
  /** Computes a digest of what is remembered of each key of this cluster; see {@link keyDigests}. */
  digests(): Map<KeyText, string>
  /**
   * Returns the hint of a change, by the index as it is now; none where a full sync is needed.
   * @param at the time, in milliseconds since the epoch; default: now
   */
  hints(change: Change, settings: HintSettings, at?: number): KeyHints
  /** Returns those of some Pods that a sync of a change of their Service can take along. */
  alongWith(change: Change, pods: readonly string[], settings: HintSettings): readonly string[]
  /**
   * Compares every key of this cluster, one at a time: what changes between two is compared as it is then. A
   * Service of another cluster is never compared.
   */
  compareAll(settings: ComparisonSettings): Generator<ComparedKey>
  /**
   * Verifies what functions have written of a Service since it was last right. The function need not read
   * back what it wrote: Pods that are not published as they ought to be are a change.
   */
  verify(key: ServiceKey): Change[]
  /**
   * Reports whether the Pods that the change names are already published as they ought to be, so that no sync
   * is needed. A later write of their earlier state would be verified.
   */
  isPublished(change: Change): boolean
  /** Compares one key of this cluster with what it should be, at the cost of its own pods and slices. */
  state(key: ServiceKey, settings: ComparisonSettings): SliceState
  /** Lists the Services of this cluster that are not managed, and of which slices of ours stay. */
  keeping(settings: Pick<Settings, 'leftovers'>): ServiceKey[]
  /** Counts our slices of owners that the settings publish none of, by the owners' kinds. */
  unpublished(): ReadonlyMap<string, number>
  /** Lists since when Services of this cluster are paused, in RFC 3339; undefined where it is not known. */
  paused(): (string | undefined)[]
  /** Counts the endpoints in the slices of a Service of this cluster. */
  endpointCount(key: ServiceKey): number
  /** Counts the objects that are remembered. */
  size(): Record<KindName, number>
  /** Lists the Services of this cluster that ask for a source other than Pods. */
  asking(source: Source): AskingService[]
}

/** Which Services take Pods of which cluster, for the indexes of clusters that are watched together. */
export type CrossClusterSelectors = SelectorsByCluster<ServiceEntry>

/** @param onCluster called when a Service takes pods of a cluster that none took pods of before */
export const createCrossClusterSelectors = (onCluster?: (cluster: string) => void): CrossClusterSelectors =>
  new SelectorsByCluster(onCluster)

export interface IndexOptions {
  /** Permissions of Services to name pods and addresses. Default: pods of their own namespace only. */
  readonly permissions?: Permissions
  /** Returns a Pod without addresses that may not be published. Default: every address may be. */
  readonly publishable?: (pod: Pod) => Pod
  /** Called with each object that counts as absent since it is not of the API's form. */
  onMalformed?(object: MalformedObject): void
  /** Called with each Service of which a slice was written by us, or deleted; not for lists. */
  onWritten?(service: ServiceKey): void
}

/** @param createTable creates the table of a kind of owners */
function createTables(
  cluster: string,
  publishable: Tables['publishable'],
  createTable: () => ServiceTable,
  settings: PermissionSettings,
): Tables & Pick<IndexParts, 'owners' | 'projections'> {
  const owners = createOwnerTables(createTable)
  return {
    cluster,
    publishable,
    owners,
    projections: new Projections({ cluster }, owners),
    services: joinOwnerTables(owners),
    pods: createPodTable(),
    nodes: createNodeTable(),
    slices: createSliceTable(settings),
    endpoints: createObjectTable(),
  }
}

/** @param selectors the same for all clusters that are watched together; default: those of its own */
export function createClusterIndex(
  cluster: string,
  mode: Mode,
  selectors: CrossClusterSelectors = createCrossClusterSelectors(),
  { permissions = ownNamespaceOnly(cluster), publishable = (pod) => pod, ...options }: IndexOptions = {},
): ClusterIndex {
  const { onMalformed, onWritten } = options
  const { owners, projections, ...tables } = createTables(
    cluster,
    publishable,
    () => createServiceTable(cluster, { mode, permissions }, selectors),
    permissions.settings,
  )
  const { services, slices, endpoints } = tables
  const written = createWrittenSlices(tables)
  const parts = { ...tables, owners, projections, observer: { ...written, onWritten } }
  const byKind = KIND_NAMES.map((name) => {
    const { resource, table } = KINDS[name] as Kind
    return { name, resource, table: table(parts) }
  })
  const indexes = Object.fromEntries(
    byKind.map(({ name, resource, table }) => [name, createKindIndex(resource, table, onMalformed)]),
  ) as unknown as KindIndexes

  /** Returns managed Services, those with Endpoints to mirror or slices of ours, and projections. */
  function ownKeys(): Set<string> {
    const keys = new Set<string>([...slices.services(), ...projections.keys()])
    for (const [key, entry] of services.entries())
      if (isOurs(entry, endpoints.get(key) !== undefined)) keys.add(key)
    keys.delete(NO_SERVICE)
    return keys
  }

  function keeps(key: string, policy: Settings['leftovers']): boolean {
    const selection = services.get(key)?.selection
    if (selection?.kind !== 'unmanaged' && selection?.kind !== 'mirrored') return false
    if (leftoversOf(selection, policy) !== 'keep') return false
    return [...slices.of(key)].some((slice) => slice.isOurs && isLeftover(slice, selection))
  }

  const stateOf = (key: string, settings: ComparisonSettings): SliceState =>
    projections.state(key, settings.managedBy) ?? compareWithDesired(tables, key, settings)

  return {
    history: new ClusterHistory(),
    ...indexes,
    keys: () => [
      ...[...ownKeys()].map((key) => keyChange(tables, key)),
      ...services.foreign().map((entry) => changeOf(entry)),
    ],
    digests: () => keyDigests(tables, projections),
    *compareAll(settings) {
      for (const key of ownKeys()) yield { ...keyChange(tables, key), state: stateOf(key, settings) }
    },
    state: (key, settings) => stateOf(ownerText(key), settings),
    keeping: ({ leftovers }) =>
      [...slices.services()].filter((key) => keeps(key, leftovers)).map((key) => keyChange(tables, key)),
    unpublished: () => slices.unpublished(),
    paused: () =>
      [...services.paused].map(({ selection }) => ('since' in selection ? selection.since : undefined)),
    hints: (change, settings, at = Date.now()) => hintsOf(tables, change, settings, at),
    alongWith: (change, pods, settings) => podsAlong(tables, change, { pods, settings }),
    verify: written.verify,
    isPublished: written.isPublished,
    endpointCount: (key) => endpointCount(tables, key),
    size: () =>
      Object.fromEntries(byKind.map(({ name, table }) => [name, table.size()])) as Record<KindName, number>,
    asking: (source) =>
      [...services.entries()].flatMap(([key, { selection }]) =>
        selection.kind === 'sourced' && selection.source === source
          ? [{ ...parseOwnerText(key), asked: selection.asked }]
          : [],
      ),
  }
}

const endpointCount = ({ cluster, slices }: Tables, key: ServiceKey): number =>
  key.cluster === cluster ? sum(slices.of(ownerText(key)), ({ endpoints }) => endpoints) : 0
