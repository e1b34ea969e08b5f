import {
  ANNOTATION_CLUSTER,
  invalidReason,
  type PermissionSettings,
  permissionsOf,
  type Selection,
  selectionOf,
} from '../../changes/index.ts'
import {
  type DifferenceKind,
  type EndpointDifference,
  type EndpointSlice,
  endpointDifferences,
  hintModeOf,
  IN_TREE_CONTROLLER,
  isMirrored,
  LABEL_MANAGED_BY,
  MIRRORING_CONTROLLER,
  objectFault,
  planMirror,
  type Service,
  slicesAfter,
} from '../../endpointslice/index.ts'
import { ENDPOINTS } from '../../kubernetes/index.ts'
import type { KeyMessage } from '../../queue/index.ts'
import type { Settings } from '../../settings/index.ts'
import { createAddressFilter } from '../guards/refused/refused-addresses.ts'
import { type PlanInput, planService } from '../plan/plan-service.ts'
import { type EndpointPart, isUnread, mapParts, podsOfParts } from '../read/endpoint-parts.ts'
import { EndpointReader } from '../read/endpoint-reader.ts'
import { readObject } from '../read/read-object.ts'
import { type ReadableCluster, UnknownClusterError } from '../read/readable-cluster.ts'
import { readState } from '../read-state.ts'

export interface ShadowSyncOptions {
  /** @throws UnknownClusterError */
  readonly clusterOf: (name: string) => ReadableCluster
  readonly key: KeyMessage
  readonly settings: PlanInput['settings'] & PermissionSettings & Pick<Settings, 'mode' | 'refusedAddresses'>
  readonly signal: AbortSignal
}

/** Comparison of a cluster's slices with those that Sliceflow would publish. */
export type ShadowSync =
  | { readonly kind: 'compared'; readonly differences: readonly VersionedDifference[] }
  /** Not a Service that Sliceflow would manage or write, or none that stays. */
  | { readonly kind: 'unmanaged' }
  /** One that it would manage if its annotation could be understood. */
  | { readonly kind: 'invalid'; readonly problem: string }

/** A difference of an endpoint, or of an object as a whole that would be written. */
export interface ShadowDifference extends Omit<EndpointDifference, 'kind'> {
  readonly kind: DifferenceKind | 'object'
}

/** A difference and the versions of its objects: while these stay, so must what is right. */
export interface VersionedDifference extends ShadowDifference {
  readonly versions: string
}

const UNMANAGED: ShadowSync = { kind: 'unmanaged' }

export const differencesOf = (sync: ShadowSync): readonly VersionedDifference[] =>
  sync.kind === 'compared' ? sync.differences : []

/**
 * Creates a function that reads a Service and all of its slices, of every manager. It compares the endpoints
 * that they publish with those that Sliceflow would, planned as if there were no slices. How endpoints are
 * packed into slices does not count.
 *
 * Topology hints depend on those that are there already, so for them the plan starts from the existing
 * slices.
 * @throws KubernetesError when a read failed
 */
export function createShadowSync({
  clusterOf,
  key,
  settings,
  signal,
}: ShadowSyncOptions): () => Promise<ShadowSync> {
  const { client } = clusterOf(key.cluster)
  const reader = new EndpointReader({ cluster: key.cluster, clusterOf, signal })
  const addresses = createAddressFilter(settings.refusedAddresses)
  const permissions = permissionsOf(key.cluster, settings)

  /** Returns the slice as ours. One that changes its manager would be written, and get other hints. */
  const asOurs = (slice: EndpointSlice): EndpointSlice => ({
    ...slice,
    metadata: {
      ...slice.metadata,
      labels: { ...slice.metadata?.labels, [LABEL_MANAGED_BY]: settings.managedBy },
    },
  })

  async function compare(
    service: Service,
    selection: Selection & { kind: 'managed' | 'sourced' },
    slices: readonly EndpointSlice[],
  ): Promise<ShadowSync> {
    const parts = mapParts(await reader.read({ service, selection, slices }), addresses.filter)
    const unread = parts.find(isUnread)
    if (unread !== undefined) throw unread.error
    const planFrom = (from: readonly EndpointSlice[]) =>
      slicesAfter(
        from,
        planService({
          service,
          slices: from,
          parts,
          settings,
          triggerTime: undefined,
          takenNames: new Set(),
        }),
      )
    const alive = comparable(slices, [settings.managedBy, IN_TREE_CONTROLLER])
    const expected = planFrom(hintModeOf(service) === 'topology' ? alive.map(asOurs) : [])
    const versionsOf = versionsIn(service, parts)
    const differences = endpointDifferences(alive, expected).map((difference) => ({
      ...difference,
      versions: versionsOf(difference.endpoint),
    }))
    return { kind: 'compared', differences }
  }

  async function compareMirrors(service: Service, slices: readonly EndpointSlice[]): Promise<ShadowSync> {
    const ref = { namespace: key.namespace, name: key.service }
    const endpoints = await readObject(client, ENDPOINTS, ref, { signal })
    if (endpoints === undefined || !isMirrored(endpoints, service)) return UNMANAGED
    const problem = objectFault('Endpoints', endpoints)
    if (problem !== undefined) return { kind: 'invalid', problem }
    const state = { endpoints: addresses.filterEndpoints(endpoints).endpoints, service, slices: [] }
    const { create } = planMirror(state, { managedBy: settings.managedBy })
    const alive = comparable(slices, [settings.managedBy, MIRRORING_CONTROLLER])
    const versions = `${service.metadata?.resourceVersion} ${endpoints.metadata?.resourceVersion}`
    const differences = endpointDifferences(alive, create).map((one) => ({ ...one, versions }))
    return { kind: 'compared', differences }
  }

  return async () => {
    const { slices, service } = await readState({ client, key, signal })
    // The slices of a Service that goes are for the garbage collector.
    if (service === undefined || service.metadata?.deletionTimestamp !== undefined) return UNMANAGED
    const selection = selectionOf(service, settings.mode, permissions)
    if (selection.kind === 'unmanaged' || selection.kind === 'paused') return UNMANAGED
    if (selection.kind === 'mirrored') return compareMirrors(service, slices)
    if (selection.kind === 'invalid') return { kind: 'invalid', problem: invalidReason(selection) }
    try {
      return await compare(service, selection, slices)
    } catch (error) {
      if (!(error instanceof UnknownClusterError)) throw error
      const unknown = { kind: 'invalid', annotation: ANNOTATION_CLUSTER, problem: error.message } as const
      return { kind: 'invalid', problem: invalidReason(unknown) }
    }
  }
}

/**
 * Returns the slices that ours would replace: those of these managers, the in-tree controller and ourselves.
 * Slices that others add would stay as they are; they count only if there are no others.
 */
function comparable(slices: readonly EndpointSlice[], managers: readonly string[]): readonly EndpointSlice[] {
  const alive = slices.filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
  const replaced = alive.filter(({ metadata }) =>
    managers.includes(metadata?.labels?.[LABEL_MANAGED_BY] ?? ''),
  )
  return replaced.length > 0 ? replaced : alive
}

function versionsIn(service: Service, parts: readonly EndpointPart[]): (endpoint: string) => string {
  // Pods of several clusters may have one name.
  const versions = Map.groupBy(
    podsOfParts(parts),
    ({ metadata }) => `${metadata?.namespace}/${metadata?.name}`,
  )
  const versionOf = (endpoint: string): string =>
    (versions.get(endpoint) ?? []).map(({ metadata }) => metadata?.resourceVersion).join(' ')
  return (endpoint) => `${service.metadata?.resourceVersion} ${versionOf(endpoint)}`
}
