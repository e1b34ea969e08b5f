import { type BatchHandler, createHandler } from '../../shared/queue/consumer/index.ts'
import type { DeadLetterSender, Log, ReceivedMessages } from '../../shared/queue/index.ts'
import type { Publish } from './publisher.ts'

export interface DiscoverHandlerOptions {
  readonly publish: Publish
  /** Where bodies go that are not messages. */
  readonly deadLetters: DeadLetterSender
  /** Of the function's queue. */
  readonly visibility: Pick<ReceivedMessages, 'postpone'>
  readonly logger: Log
  /** Keys of one cluster at once. */
  readonly concurrencyPerCluster?: number
  /**
   * Of the queue's redrive policy: what fails in its last receive becomes a dead letter that says why.
   * Default: never.
   */
  readonly maxReceiveCount?: number
}

/**
 * The Lambda handler for batches of keys: as the reconcile function's, but what is done with a key is to
 * publish its views.
 */
export function createDiscoverHandler({
  publish,
  concurrencyPerCluster,
  maxReceiveCount,
  ...options
}: DiscoverHandlerOptions): BatchHandler {
  return createHandler({
    ...options,
    settings: {
      ...(concurrencyPerCluster !== undefined && { concurrencyPerCluster }),
      ...(maxReceiveCount !== undefined && { maxReceiveCount }),
    },
    reconcile: async ({ cluster, namespace, service }, { signal }) => {
      const key = { cluster, namespace, service }
      const outcome = await publish(key, signal)
      if (outcome.deltas > 0) options.logger.info({ ...key, ...outcome }, 'published views')
    },
  })
}
