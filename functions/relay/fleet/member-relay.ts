import { type Change, FLEET_MANAGED_BY, type KindIndex } from '../../../shared/changes/index.ts'
import {
  type ClusterSet,
  type ClusterSetMember,
  exportsServices,
} from '../../../shared/cluster-sets/index.ts'
import { LABEL_MANAGED_BY } from '../../../shared/endpointslice/index.ts'
import {
  ABOUT_VERSIONS,
  clusterProperties,
  type FleetKind,
  LABEL_CLUSTER_SET,
  MCS_VERSIONS,
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
import type { ClusterHealth } from '../health/health.ts'
import type { RelayTelemetry } from '../relay-options.ts'
import { createClusterOutage, type OutageCause } from '../watch/cluster-outage.ts'
import { ClusterWatches } from '../watch/cluster-watches.ts'
import { INACTIVITY_MS, runServedWatcher, WATCH_TIMING } from '../watch/served-watcher.ts'

interface MemberRelayOptions {
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

interface MemberEvents {
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

interface WatchedKind {
  /** Name of the watch in metrics, apart from those of the relay of Services that are of one cluster. */
  readonly watch: string
  /** The resource; of a CustomResourceDefinition in each version that is understood, the wanted one first. */
  readonly resource: Resource | readonly Resource[]
  /** Whether metadata alone does not show what has changed. Default false. */
  readonly isWhole?: boolean
  /** What it means that a cluster does not serve the kind; a warning, unless that is as usual. */
  readonly absent?: { readonly level: 'info' | 'warn'; readonly text: string }
}

const NOT_SERVED = {
  level: 'warn',
  text: 'the cluster does not serve this kind of multicluster.x-k8s.io: apply its definition (sliceflow crds --fleet)',
} as const

/** Only names, versions and digests are stored: most specs and statuses need not travel. */
const WATCHED: Readonly<Record<FleetKind, WatchedKind>> = {
  services: { watch: 'fleet-services', resource: SERVICES, isWhole: true },
  slices: { watch: 'fleet-slices', resource: ENDPOINT_SLICES },
  exports: {
    watch: 'serviceexports',
    resource: MCS_VERSIONS.map(serviceExports),
    isWhole: true,
    absent: NOT_SERVED,
  },
  imports: { watch: 'serviceimports', resource: MCS_VERSIONS.map(serviceImports), absent: NOT_SERVED },
  namespaces: { watch: 'namespaces', resource: NAMESPACES },
  properties: {
    watch: 'clusterproperties',
    resource: ABOUT_VERSIONS.map(clusterProperties),
    absent: {
      level: 'info',
      text: 'the cluster serves no ClusterProperties (about.k8s.io): selectors find it by those of the cluster set',
    },
  },
}

/** Returns the selector of what a member that exports nothing has of the set. */
const importedSelector = (kind: FleetKind, set: string): string | undefined => {
  if (kind === 'services') return `${LABEL_CLUSTER_SET}=${set}`
  return kind === 'slices' ? `${LABEL_MANAGED_BY}=${FLEET_MANAGED_BY}` : undefined
}

export type MemberRelay = ReturnType<typeof startMemberRelay>

/** Lists and watches what a set needs of one of its clusters, and brings it to the index. */
export function startMemberRelay(options: MemberRelayOptions) {
  const { set, member, client, index, telemetry, discoveryMs, events, signal } = options
  const { cluster } = client
  const outage = createClusterOutage({
    silenceMs: INACTIVITY_MS,
    onLong: events.outageBegan,
    onOver: events.outageOver,
  })
  const watches = new ClusterWatches({ cluster, telemetry, outage, history: index.history })
  let hasSynced = false

  function listed(): void {
    if (hasSynced || !index.isSynced) return
    hasSynced = true
    events.synced()
  }

  function handlerOf(kind: FleetKind, objects: KindIndex<ApiObject>): WatchHandler<ApiObject> {
    const handler = watches.handlerOf(WATCHED[kind].watch, objects, {
      size: () => index.size(kind),
      changed: events.changed,
      listed,
    })
    return {
      ...handler,
      failed(error, retryMs) {
        handler.failed?.(error, retryMs)
        events.failed()
      },
    }
  }

  function reflect([kind, objects]: readonly [FleetKind, KindIndex<ApiObject>]): Promise<void> {
    const { resource, isWhole = false } = WATCHED[kind]
    if (!('plural' in resource)) return reflectServed(kind, resource, objects)
    const labelSelector = exportsServices(member) ? undefined : importedSelector(kind, set.name)
    const handler = handlerOf(kind, objects)
    const selection = { metadataOnly: !isWhole, labelSelector }
    return runWatcher(client, { resource, handler, signal, selection, timing: WATCH_TIMING })
  }

  const reflectServed = (
    kind: FleetKind,
    resources: readonly Resource[],
    objects: KindIndex<ApiObject>,
  ): Promise<void> =>
    runServedWatcher(client, {
      metadataOnly: !WATCHED[kind].isWhole,
      resources,
      pauseMs: discoveryMs,
      signal,
      handlerOf: () => handlerOf(kind, objects),
      onAbsent(isNew) {
        const { watch, absent } = WATCHED[kind]
        if (isNew && absent)
          telemetry.logger[absent.level]({ cluster, clusterSet: set.name, kind: watch }, absent.text)
        objects.listing()
        events.changed(objects.listed())
        listed()
      },
    })

  return {
    hasSynced: (): boolean => hasSynced,
    /** Reports whether a watch cannot go on for now. */
    isFailing: (): boolean => watches.readings().some(({ failing }) => failing),
    reading: (): ClusterReading => ({ cluster, watches: watches.readings(), lanes: [] }),
    health: (): ClusterHealth => ({
      ...{ cluster, hasSynced, isOut: outage.isLong() },
      watches: watches.health(),
    }),
    /** Resolves once every watch has ended. */
    ended: Promise.all([...index.kinds].map(reflect)),
  }
}
