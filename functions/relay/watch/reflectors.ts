import {
  type Change,
  type ClusterIndex,
  KINDS,
  type Kind,
  type KindIndex,
  type KindName,
  kindsOf,
  type Scope,
} from '../../../shared/changes/index.ts'
import {
  type ApiClient,
  type ApiObject,
  type Resource,
  runWatcher,
  type WatchHandler,
} from '../../../shared/kubernetes/index.ts'
import type { WatchReading } from '../../../shared/telemetry/index.ts'
import type { WatchHealth } from '../health/health.ts'
import type { ClusterRelaySettings, RelayTelemetry, SharedAmongClusters } from '../relay-options.ts'
import type { ClusterOutage } from './cluster-outage.ts'
import { ClusterWatches } from './cluster-watches.ts'
import { runServedWatcher, WATCH_TIMING } from './served-watcher.ts'

interface ReflectorsOptions {
  readonly client: ApiClient
  readonly shared: Pick<SharedAmongClusters, 'nextTurn'>
  readonly settings: ClusterRelaySettings
  readonly telemetry: RelayTelemetry
  readonly scope: Scope
  /** Each kind is brought to its part of the index. */
  readonly index: ClusterIndex
  readonly events: ReflectorEvents
  /** Ends the watches. */
  readonly signal: AbortSignal
}

interface ReflectorEvents {
  /** Is notified of each failure and each recovery of a watch. */
  readonly outage: ClusterOutage
  /** @param about the kind whose objects changed */
  changed(changes: readonly Change[], about: string): void
  /** Called after each whole list of a kind. */
  listed(kind: KindName): void
}

export type Reflectors = ReturnType<typeof startReflectors>

/** Lists and watches the kinds of one cluster, and brings each object to the index. */
export function startReflectors({
  client,
  shared: { nextTurn },
  scope,
  index,
  settings,
  ...options
}: ReflectorsOptions) {
  const { events, signal, telemetry } = options
  const { cluster } = client
  const { outage } = events
  const watches = new ClusterWatches({ cluster, telemetry, outage, history: index.history })

  function reflect<T extends ApiObject>(
    name: KindName,
    { resource, about, metadataOnly = false, managedFields, labelSelector, isOptional = false }: Kind<T>,
    objects: KindIndex<T>,
  ): Promise<void> {
    const handler = watches.handlerOf(name, objects, {
      size: () => index.size()[name],
      changed: (changes) => events.changed(changes, about),
      listed: () => events.listed(name),
    })
    const selection = {
      metadataOnly,
      managedFields,
      labelSelector: labelSelector?.(settings.managedBy, settings.shadow === true),
    }
    if (isOptional) return reflectOptional(name, resource, handler)
    return runWatcher(client, { resource, handler, signal, selection, nextTurn, timing: WATCH_TIMING })
  }

  /**
   * Watches a kind that the cluster may not serve. Nothing waits for it: the first absence or failure counts
   * as the first list, and objects that appear later are changes. Its objects stay while it is not served.
   */
  function reflectOptional<T extends ApiObject>(
    name: KindName,
    resource: Resource<T>,
    handler: WatchHandler<T>,
  ): Promise<void> {
    const counted: WatchHandler<T> = {
      ...handler,
      failed(error, retryMs) {
        handler.failed?.(error, retryMs)
        events.listed(name)
      },
    }
    return runServedWatcher(client, {
      metadataOnly: false,
      resources: [resource],
      handlerOf: () => counted as WatchHandler<ApiObject>,
      pauseMs: DISCOVERY_MS,
      signal,
      onAbsent(isNew) {
        if (isNew) telemetry.logger.info({ cluster, kind: name }, NOT_SERVED)
        events.listed(name)
      },
    })
  }

  const reflecting = kindsOf(scope, settings).map((name) =>
    reflect(name, KINDS[name] as Kind, index[name] as KindIndex<ApiObject>),
  )

  return {
    readings: (): WatchReading[] => watches.readings(),
    health: (): WatchHealth[] => watches.health(),
    /** Resolves once every watch has ended. */
    ended: (): Promise<unknown> => Promise.all(reflecting),
  }
}

/** Milliseconds between two checks whether a cluster serves a kind that it need not. */
const DISCOVERY_MS = 10_000

const NOT_SERVED = 'the cluster does not serve a kind, whose objects are watched once it does'
