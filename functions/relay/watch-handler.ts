import type { Change, KindIndex } from '../../shared/changes/index.ts'
import type { ApiObject, WatchHandler } from '../../shared/kubernetes/index.ts'
import type { Log, RelayMetrics } from '../../shared/telemetry/index.ts'
import type { ClusterOutage } from './cluster-outage.ts'
import type { FailureLog } from './failure-log.ts'
import type { WatchStatus } from './watch-status.ts'

/** Parts that the watches of one cluster share. */
export interface ClusterWatch {
  readonly cluster: string
  readonly metrics: RelayMetrics
  readonly logger: Log
  readonly failures: FailureLog
  readonly outage: ClusterOutage
  /** Called with the changes that an object meant. */
  readonly emit: (changes: readonly Change[]) => void
  /** Called after each whole list of a kind. */
  readonly listed: (kind: string) => void
}

/** Brings what a watch tells to the index of its kind, and to those who look after the watch. */
export function createWatchHandler<T extends ApiObject>(
  kind: string,
  objects: KindIndex<T>,
  status: WatchStatus,
  { cluster, metrics, logger, failures, outage, emit, listed }: ClusterWatch,
): WatchHandler<T> {
  const labels = { cluster, kind }
  function guarded(object: T, changes: (object: T) => Change[]): void {
    try {
      emit(changes(object))
    } catch (err) {
      logger.error({ ...labels, err }, 'failed to take in an object of the cluster; it is passed over')
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
    opened: status.opened,
    received: status.received,
    bookmark(resourceVersion) {
      status.bookmark()
      objects.bookmark(resourceVersion)
    },
    notObject: () => metrics.count('malformed_objects', labels),
  }
}
