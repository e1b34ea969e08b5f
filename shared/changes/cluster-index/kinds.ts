import {
  ENDPOINT_SELECTOR_OWNER,
  type EndpointSlice,
  type Endpoints,
  LABEL_MANAGED_BY,
  type Node,
  type Pod,
  type Service,
} from '../../endpointslice/index.ts'
import {
  type ApiObject,
  ENDPOINT_SLICES,
  ENDPOINTS,
  NODES,
  PODS,
  type Resource,
  SERVICES,
} from '../../kubernetes/index.ts'
import type { ContentSettings } from '../../settings/index.ts'
import { publishedOwners } from '../owners/find-owner.ts'
import type { OtherOwner, OwnerObject } from '../owners/other-owner.ts'
import { OTHER_OWNERS, type OtherOwnerKindName } from '../owners/other-owners.ts'
import { SOURCES } from '../sources/sources.ts'
import type { OwnerTables } from '../tables/owner-table.ts'
import { createEndpointsIndex } from './endpoints-index.ts'
import { createForeignSliceIndex } from './foreign-slice-index.ts'
import type { KindTable } from './kind-index.ts'
import { createNodeIndex } from './node-index.ts'
import { createPodIndex } from './pod-index.ts'
import type { Projections } from './projections.ts'
import { createOtherOwnerIndex, createServiceIndex } from './service-index.ts'
import { createSliceIndex, type SliceObserver } from './slice-index.ts'
import type { Tables } from './tables.ts'

export interface IndexParts extends Tables {
  readonly observer: SliceObserver
  readonly owners: OwnerTables
  readonly projections: Projections
}

/**
 * A kind of objects that a relay watches in a cluster. An entry of {@link KINDS} is all that others know of
 * it: its watch, its part of the index, and its name in metrics, health and recordings follow from it.
 */
export interface Kind<T extends ApiObject = ApiObject> {
  readonly resource: Resource<T>
  /** Name of one object in a recording. */
  readonly about: string
  /** Whether an object's metadata suffices. Default: the whole object is watched. */
  readonly metadataOnly?: boolean
  /** Whether `metadata.managedFields` is read. Default true. */
  readonly managedFields?: boolean
  /**
   * The label selector of the objects that suffice, by our managed-by value; `isShadow`: they are compared
   * with ours, whoever manages them. Default: all objects are watched.
   */
  readonly labelSelector?: (managedBy: string, isShadow: boolean) => string | undefined
  /** Whether a cluster may not serve it (yet), without which everything else goes on. Default: it must. */
  readonly isOptional?: boolean
  /** Creates what remembers the objects, and knows which keys an event of one means. */
  table(parts: IndexParts): KindTable<T>
}

const kind = <T extends ApiObject>(entry: Kind<T>): Kind<T> => entry

/** Returns the kinds of owners that are no Services, one for each of their APIs. */
const ownerKinds = (owner: OtherOwner): [string, Kind<OwnerObject>][] =>
  Object.entries(owner.resources).map(([name, resource]) => [
    name,
    {
      resource,
      about: resource.kind.toLowerCase(),
      isOptional: true,
      table: (parts) => createOtherOwnerIndex(parts, owner, resource),
    },
  ])

export const KINDS = {
  services: kind<Service>({
    resource: SERVICES,
    about: 'service',
    table: (parts) => createServiceIndex(parts, parts.owners.of(SERVICES), parts.projections),
  }),
  ...(Object.fromEntries(OTHER_OWNERS.flatMap(ownerKinds)) as Record<OtherOwnerKindName, Kind<OwnerObject>>),
  pods: kind<Pod>({ resource: PODS, about: 'pod', managedFields: false, table: createPodIndex }),
  nodes: kind<Node>({ resource: NODES, about: 'node', managedFields: false, table: createNodeIndex }),
  slices: kind<EndpointSlice>({
    resource: ENDPOINT_SLICES,
    about: 'slice',
    labelSelector: (managedBy, isShadow) => (isShadow ? undefined : `${LABEL_MANAGED_BY}=${managedBy}`),
    table: (parts) => createSliceIndex(parts, parts.observer),
  }),
  foreignSlices: kind<EndpointSlice>({
    // Of the metadata alone, which is all that is read.
    resource: { ...ENDPOINT_SLICES, kind: 'PartialObjectMetadata' },
    about: 'foreign slice',
    metadataOnly: true,
    labelSelector: (managedBy) => `${ENDPOINT_SELECTOR_OWNER.selector()},${LABEL_MANAGED_BY}!=${managedBy}`,
    table: (parts) => createForeignSliceIndex(parts, parts.owners),
  }),
  endpoints: kind<Endpoints>({
    resource: ENDPOINTS,
    about: 'endpoints',
    metadataOnly: true,
    table: createEndpointsIndex,
  }),
}

export type KindName = keyof typeof KINDS
export const KIND_NAMES = Object.keys(KINDS) as KindName[]

const apisOf = ({ resources }: OtherOwner): string[] => Object.keys(resources)

/** Kinds of an owner: those of its APIs, and others that it depends on. */
const kindsOfOwner = (owner: OtherOwner): string[] => [...apisOf(owner), ...(owner.kinds ?? [])]

/** Kinds of the owners of slices. */
export const OWNER_KINDS = ['services', ...OTHER_OWNERS.flatMap(apisOf)] as readonly KindName[]

/** Part of a cluster that is watched: `pods`, where only Services of other clusters need it. */
export type Scope = 'everything' | 'pods'

/** Returns the kinds that a relay watches: those that the sources of endpoints need. */
export function kindsOf(scope: Scope, settings: Partial<ContentSettings>): readonly KindName[] {
  const isEnabled = ({ enabledBy }: { readonly enabledBy?: keyof ContentSettings }): boolean =>
    enabledBy === undefined || settings[enabledBy] === true
  const wanted = new Set(
    scope === 'everything'
      ? [
          ...['services', 'slices', ...publishedOwners(settings).flatMap(kindsOfOwner)],
          ...SOURCES.filter(isEnabled).flatMap(({ kinds = [] }) => kinds),
        ]
      : SOURCES.filter(isEnabled).flatMap(({ kindsElsewhere = [] }) => kindsElsewhere),
  )
  return KIND_NAMES.filter((name) => wanted.has(name))
}

/** Returns the name of a kind by that of its API. */
export const kindNamed = (apiKind: string): KindName | undefined =>
  KIND_NAMES.find((name) => KINDS[name].resource.kind === apiKind)
