import { type BatchHandler, createHandler } from '../../shared/queue/consumer/index.ts'
import type { DeadLetterSender, ReceivedMessages } from '../../shared/queue/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import type { Publish } from './publisher.ts'

interface ViewPublisherHandlerOptions {
  readonly publish: Publish
  /** Sender for bodies that are no messages. */
  readonly deadLetters: DeadLetterSender
  /** Visibility of messages of the function's queue. */
  readonly visibility: Pick<ReceivedMessages, 'postpone'>
  readonly logger: Log
  /** Keys of one cluster at once. */
  readonly concurrencyPerCluster?: number
  /**
   * Maximum of the queue's redrive policy: a key that fails in its last receive becomes a dead letter that
   * says why. Default: never.
   */
  readonly maxReceiveCount?: number
}

/**
 * Creates the Lambda handler for batches of keys: as the reconcile function's, but for each key it publishes
 * the views.
 */
export function createViewPublisherHandler({
  publish,
  concurrencyPerCluster,
  maxReceiveCount,
  ...options
}: ViewPublisherHandlerOptions): BatchHandler {
  return createHandler({
    ...options,
    settings: {
      // The relay sends keys at its start and when something changes; the sweep knows what was published.
      isSentAgain: false,
      concurrencyPerCluster,
      maxReceiveCount,
    },
    reconcile: async ({ cluster, namespace, service }, { signal }) => {
      const key = { cluster, namespace, service }
      const outcome = await publish(key, signal)
      if (outcome.deltas > 0) options.logger.info({ ...key, ...outcome }, 'published views')
    },
  })
}
