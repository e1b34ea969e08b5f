import { fixedTime } from '../../../shared/changes/index.ts'
import {
  type ApiClient,
  type ApiObject,
  ENDPOINT_SLICES,
  type Resource,
  runWatcher,
  SERVICES,
} from '../../../shared/kubernetes/index.ts'
import type { QueueSender } from '../../../shared/queue/index.ts'
import type { Log } from '../../../shared/telemetry/index.ts'
import { Outbox } from '../outbox/outbox.ts'
import { createFailureLog } from '../watch/failure-log.ts'
import { createViewPublisherKeys, serviceOfService, serviceOfSlice } from './publish-keys.ts'

export interface ViewPublisherFeedOptions {
  /** Client of the cluster that is watched. */
  readonly client: ApiClient
  /** Sender of the publishing function's queue. */
  readonly sender: QueueSender
  readonly logger: Log
  /** A key is sent at most once in this time, in milliseconds. */
  readonly windowMs: number
}

export interface PublishFeed {
  /** Resolves when the cluster was listed and its keys are on their way. */
  readonly synced: Promise<void>
  /**
   * Ends the watches and sends what waits. Resolves to the number of keys not sent when `signal` aborted; the
   * next start sends them.
   */
  stop(signal: AbortSignal): Promise<number>
}

/**
 * Feeds the view publisher: sends the key of a Service when it or one of its slices changes, under any
 * manager, and every key at the start. Its watches are its own, beside the relay's, which sees
 * managed slices only.
 */
export function startViewPublisherFeed({
  client,
  sender,
  logger,
  windowMs,
}: ViewPublisherFeedOptions): PublishFeed {
  const ending = new AbortController()
  const time = fixedTime(windowMs)
  const outbox = new Outbox({ sender, logger, rules: { processingTime: () => time } })
  const failures = createFailureLog(logger, client.cluster)

  function watch<T extends ApiObject>(
    resource: Resource<T>,
    serviceOf: (object: ApiObject) => string | undefined,
  ): { synced: Promise<void>; ended: Promise<void> } {
    const keys = createViewPublisherKeys(client.cluster, serviceOf)
    const synced = Promise.withResolvers<void>()
    const put = (object: T): void => outbox.add(keys.put(object))
    const ended = runWatcher(client, {
      resource,
      signal: ending.signal,
      handler: {
        listing: keys.listing,
        object: put,
        listed() {
          outbox.add(keys.listed())
          synced.resolve()
        },
        changed: put,
        deleted: (object) => outbox.add(keys.remove(object)),
        failed: (error, retryMs) => failures.failed(resource.kind, error, retryMs),
        recovered: () => failures.recovered(resource.kind),
      },
    })
    return { synced: synced.promise, ended }
  }

  const watches = [watch(SERVICES, serviceOfService), watch(ENDPOINT_SLICES, serviceOfSlice)]
  return {
    synced: Promise.all(watches.map(({ synced }) => synced)).then(() => undefined),
    async stop(signal) {
      ending.abort()
      await Promise.all(watches.map(({ ended }) => ended))
      return outbox.drain(signal)
    },
  }
}
