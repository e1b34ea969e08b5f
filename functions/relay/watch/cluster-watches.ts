import type { Change, ClusterHistory, KindIndex } from '../../../shared/changes/index.ts'
import type { ApiObject, WatchHandler } from '../../../shared/kubernetes/index.ts'
import type { WatchReading } from '../../../shared/telemetry/index.ts'
import type { WatchHealth } from '../health/health.ts'
import type { RelayTelemetry } from '../relay-options.ts'
import type { ClusterOutage } from './cluster-outage.ts'
import { createFailureLog, type FailureLog } from './failure-log.ts'
import { createWatchStatus, type WatchStatus } from './watch-status.ts'

interface ClusterWatchesOptions {
  readonly cluster: string
  readonly telemetry: RelayTelemetry
  /** Is notified of each failure and each recovery of a watch. */
  readonly outage: ClusterOutage
  readonly history: ClusterHistory
  /** Milliseconds of a clock that never goes back; default `performance.now`. */
  readonly now?: () => number
}

interface Watched {
  /** Counts the objects of the kind. */
  size(): number
  /** Called with the changes that an object meant. */
  changed(changes: readonly Change[]): void
  /** Called after each whole list. */
  listed(): void
}

/** The watches of one cluster, by kind: their event handlers, and the state of each. */
export class ClusterWatches {
  readonly #options: ClusterWatchesOptions
  readonly #failures: FailureLog
  readonly #watches = new Map<string, Pick<Watched, 'size'> & { readonly status: WatchStatus }>()

  constructor(options: ClusterWatchesOptions) {
    this.#options = options
    this.#failures = createFailureLog(options.telemetry.logger, options.cluster)
  }

  readings(): WatchReading[] {
    return [...this.#watches.values()].map(({ status, size }) => ({ ...status.reading(), objects: size() }))
  }

  health(): WatchHealth[] {
    return [...this.#watches].map(([kind, { status }]) => ({ kind, idleMs: status.idleMs() }))
  }

  /**
   * Creates the event handler of one kind. It brings each object to the index of that kind, and each success
   * and failure to the owner of the watch. An object that cannot be read is passed over and stops nothing.
   */
  handlerOf<T extends ApiObject>(
    kind: string,
    objects: KindIndex<T>,
    { size, changed, listed }: Watched,
  ): WatchHandler<T> {
    const { cluster, telemetry, outage, history, now } = this.#options
    const { metrics, logger } = telemetry
    const failures = this.#failures
    const status = createWatchStatus({ cluster, kind, metrics, ...(now && { now }) })
    this.#watches.set(kind, { status, size })
    const labels = { cluster, kind }
    function guarded(object: T, changes: (object: T) => Change[]): void {
      try {
        changed(changes(object))
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
        changed(objects.listed(resourceVersion))
        listed()
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
}
