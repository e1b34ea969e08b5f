import type { Change, KindIndex } from '../../../shared/changes/index.ts'
import { LABEL_MANAGED_BY } from '../../../shared/endpointslice/index.ts'
import {
  type ClusterSet,
  type ClusterSetMember,
  exportsServices,
  FLEET_MANAGED_BY,
  type FleetKind,
  LABEL_CLUSTER_SET,
  MCS_VERSIONS,
  type McsVersion,
  type MemberIndex,
  serviceExports,
  serviceImports,
} from '../../../shared/fleet/index.ts'
import {
  type ApiClient,
  type ApiObject,
  ENDPOINT_SLICES,
  NAMESPACES,
  type Resource,
  runWatcher,
  SERVICES,
  type WatchHandler,
} from '../../../shared/kubernetes/index.ts'
import type { ClusterReading } from '../../../shared/telemetry/index.ts'
import type { ClusterHealth } from '../health/index.ts'
import type { RelayTelemetry } from '../relay-options.ts'
import {
  createClusterOutage,
  createFailureLog,
  createWatchHandler,
  createWatchStatus,
  INACTIVITY_MS,
  type OutageCause,
  runServedWatcher,
  WATCH_TIMING,
  type WatchStatus,
} from '../watch/index.ts'

export interface MemberRelayOptions {
  readonly set: ClusterSet
  readonly member: ClusterSetMember
  readonly client: ApiClient
  readonly index: MemberIndex
  readonly telemetry: RelayTelemetry
  /** Milliseconds between two checks whether a kind is served. */
  readonly discoveryMs: number
  readonly events: MemberEvents
  /** Ends the watches. */
  readonly signal: AbortSignal
}

export interface MemberEvents {
  /** Called with the changes that an object meant. */
  changed(changes: readonly Change[]): void
  /** Called once, when every kind was listed. */
  synced(): void
  /** A watch cannot go on for now. */
  failed(): void
  /** The cluster is out of reach for long, or was restored from a backup. */
  outageBegan(cause: OutageCause): void
  /** It is back after that. */
  outageOver(): void
}

/** Lists and watches what a set needs of one of its clusters, and brings it to the index. */
export interface MemberRelay {
  hasSynced(): boolean
  /** Reports whether a watch cannot go on for now. */
  isFailing(): boolean
  reading(): ClusterReading
  health(): ClusterHealth
  /** Resolves once every watch has ended. */
  readonly ended: Promise<unknown>
}

/** Names of the watches in metrics, apart from those of the relay of Services that are of one cluster. */
const WATCHES: Readonly<Record<FleetKind, string>> = {
  services: 'fleet-services',
  slices: 'fleet-slices',
  exports: 'serviceexports',
  imports: 'serviceimports',
  namespaces: 'namespaces',
}

/** Resources of the kinds; those of CustomResourceDefinitions by their version. */
const RESOURCES: Readonly<Record<FleetKind, Resource | ((version: McsVersion) => Resource)>> = {
  services: SERVICES,
  slices: ENDPOINT_SLICES,
  namespaces: NAMESPACES,
  exports: serviceExports,
  imports: serviceImports,
}

/** Returns the selector of what a member that exports nothing has of the set. */
const importedSelector = (kind: FleetKind, set: string): string | undefined => {
  if (kind === 'services') return `${LABEL_CLUSTER_SET}=${set}`
  return kind === 'slices' ? `${LABEL_MANAGED_BY}=${FLEET_MANAGED_BY}` : undefined
}

const NOT_SERVED =
  'the cluster does not serve this kind of multicluster.x-k8s.io: apply its definition (sliceflow crds --fleet)'

/** Kinds whose metadata does not show whether anything else has changed. */
const WHOLE: ReadonlySet<FleetKind> = new Set(['services', 'exports'])

/** Only names, versions and digests are stored: most specs and statuses need not travel. */
const isMetadataOnly = (kind: FleetKind): boolean => !WHOLE.has(kind)

export function startMemberRelay(options: MemberRelayOptions): MemberRelay {
  const { set, member, client, index, telemetry, discoveryMs, events, signal } = options
  const { cluster } = client
  const { metrics, logger } = telemetry
  const failures = createFailureLog(logger, cluster)
  const outage = createClusterOutage({
    silenceMs: INACTIVITY_MS,
    onLong: events.outageBegan,
    onOver: events.outageOver,
  })
  const statuses = new Map<FleetKind, WatchStatus>()
  const readings = (): ClusterReading['watches'] =>
    [...statuses].map(([kind, status]) => ({
      ...status.reading(),
      kind: WATCHES[kind],
      objects: index.size(kind),
    }))
  let hasSynced = false

  function listed(): void {
    if (hasSynced || !index.isSynced) return
    hasSynced = true
    events.synced()
  }

  function handlerOf(kind: FleetKind, objects: KindIndex<ApiObject>): WatchHandler<ApiObject> {
    const status = createWatchStatus({ cluster, kind: WATCHES[kind], metrics })
    statuses.set(kind, status)
    const common = {
      cluster,
      metrics,
      logger,
      failures,
      outage,
      history: index.history,
      emit: events.changed,
      listed,
    }
    const handler = createWatchHandler(WATCHES[kind], objects, status, common)
    return {
      ...handler,
      failed(error, retryMs) {
        handler.failed?.(error, retryMs)
        events.failed()
      },
    }
  }

  function reflect([kind, objects]: readonly [FleetKind, KindIndex<ApiObject>]): Promise<void> {
    const resource = RESOURCES[kind]
    if (typeof resource === 'function') return reflectServed(kind, resource, objects)
    const labelSelector = exportsServices(member) ? undefined : importedSelector(kind, set.name)
    const handler = handlerOf(kind, objects)
    const selection = { metadataOnly: isMetadataOnly(kind), labelSelector }
    return runWatcher(client, { resource, handler, signal, selection, timing: WATCH_TIMING })
  }

  const reflectServed = (
    kind: FleetKind,
    resourceOf: (version: McsVersion) => Resource,
    objects: KindIndex<ApiObject>,
  ): Promise<void> =>
    runServedWatcher(client, {
      metadataOnly: isMetadataOnly(kind),
      resources: MCS_VERSIONS.map(resourceOf),
      pauseMs: discoveryMs,
      signal,
      handlerOf: () => handlerOf(kind, objects),
      onAbsent(isNew) {
        if (isNew) logger.warn({ cluster, clusterSet: set.name, kind: WATCHES[kind] }, NOT_SERVED)
        objects.listing()
        events.changed(objects.listed())
        listed()
      },
    })

  const ended = Promise.all([...index.kinds].map(reflect))

  return {
    hasSynced: () => hasSynced,
    isFailing: () => readings().some(({ failing }) => failing),
    reading: () => ({ cluster, watches: readings(), lanes: [] }),
    health() {
      const isOut = outage.isLong()
      const unsynced = isOut ? 'unreachable' : 'listing'
      const watches = [...statuses].map(([kind, status]) => ({
        kind: WATCHES[kind],
        idleMs: status.idleMs(),
      }))
      return { cluster, state: hasSynced ? 'synced' : unsynced, isOut, watches }
    },
    ended,
  }
}
