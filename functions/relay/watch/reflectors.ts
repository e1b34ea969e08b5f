import {
  type Change,
  type ClusterHistory,
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
import type { Log, RelayMetrics, WatchReading } from '../../../shared/telemetry/index.ts'
import type { WatchHealth } from '../health/health.ts'
import type { ClusterRelaySettings, RelayTelemetry, SharedAmongClusters } from '../relay-options.ts'
import type { ClusterOutage } from './cluster-outage.ts'
import { createFailureLog, type FailureLog } from './failure-log.ts'
import { runServedWatcher, WATCH_TIMING } from './served-watcher.ts'
import { createWatchStatus, type WatchStatus } from './watch-status.ts'

export interface ReflectorsOptions {
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

export interface ReflectorEvents {
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
  const { events, signal } = options
  const { metrics, logger } = options.telemetry
  const { cluster } = client
  const failures = createFailureLog(logger, cluster)
  const statuses = new Map<KindName, WatchStatus>()

  function reflect<T extends ApiObject>(
    name: KindName,
    { resource, about, metadataOnly = false, managedFields, labelSelector, isOptional = false }: Kind<T>,
    objects: KindIndex<T>,
  ): Promise<void> {
    const status = createWatchStatus({ cluster, kind: name, metrics })
    statuses.set(name, status)
    const handler = createWatchHandler(name, objects, status, {
      ...{ cluster, metrics, logger, failures, outage: events.outage, history: index.history },
      emit: (changes) => events.changed(changes, about),
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
        if (isNew) logger.info({ cluster, kind: name }, NOT_SERVED)
        events.listed(name)
      },
    })
  }

  const watches = kindsOf(scope, settings).map((name) =>
    reflect(name, KINDS[name] as Kind, index[name] as KindIndex<ApiObject>),
  )

  return {
    readings(): WatchReading[] {
      const size = index.size()
      return [...statuses].map(([kind, status]) => ({ ...status.reading(), objects: size[kind] }))
    },
    health: (): WatchHealth[] => [...statuses].map(([kind, status]) => ({ kind, idleMs: status.idleMs() })),
    /** Resolves once every watch has ended. */
    ended: (): Promise<unknown> => Promise.all(watches),
  }
}

/** Milliseconds between two checks whether a cluster serves a kind that it need not. */
const DISCOVERY_MS = 10_000

const NOT_SERVED = 'the cluster does not serve a kind, whose objects are watched once it does'

/** Parts that the watches of one cluster share. */
export interface ClusterWatch {
  readonly cluster: string
  readonly metrics: RelayMetrics
  readonly logger: Log
  readonly failures: FailureLog
  readonly outage: ClusterOutage
  readonly history: ClusterHistory
  /** Called with the changes that an object meant. */
  readonly emit: (changes: readonly Change[]) => void
  /** Called after each whole list of a kind. */
  readonly listed: (kind: string) => void
}

/**
 * Creates the event handler of one kind. It brings each object to the index of that kind, and each success
 * and failure to the owner of the watch. An object that cannot be read is passed over and stops
 * nothing.
 */
export function createWatchHandler<T extends ApiObject>(
  kind: string,
  objects: KindIndex<T>,
  status: WatchStatus,
  { cluster, metrics, logger, failures, outage, history, emit, listed }: ClusterWatch,
): WatchHandler<T> {
  const labels = { cluster, kind }
  function guarded(object: T, changes: (object: T) => Change[]): void {
    try {
      emit(changes(object))
    } catch (err) {
      logger.error({ ...labels, err }, 'failed to process an object of the cluster; skipping it')
    }
  }
  function event(object: T, changes: (object: T) => Change[]): void {
    metrics.count('events', labels)
    guarded(object, changes)
  }
  return {
    listing: objects.listing,
    object: (object) => guarded(object, objects.put),
    listed(resourceVersion) {
      status.listed()
      emit(objects.listed(resourceVersion))
      listed(kind)
    },
    changed: (object) => event(object, objects.put),
    deleted: (object) => event(object, objects.remove),
    failed(error, retryMs) {
      status.failed()
      outage.failed(kind, error)
      failures.failed(kind, error, retryMs)
    },
    recovered() {
      status.recovered()
      failures.recovered(kind)
      outage.recovered(kind)
    },
    wentBack(isCertain) {
      history.renew()
      if (isCertain) outage.restored(kind)
    },
    opened: status.opened,
    received: status.received,
    bookmark(resourceVersion) {
      status.bookmark()
      objects.bookmark(resourceVersion)
    },
    notObject: () => metrics.count('malformed_objects', labels),
  }
}
