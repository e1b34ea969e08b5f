import type { DeadLetterSender, Log, ReceivedMessages } from '../../shared/queue/index.ts'
import { type BatchHandler, createHandler } from '../reconcile/index.ts'
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
}

/** The Lambda handler for batches of keys: as the reconcile function's, but what is done with a key is to publish its views. */
export function createDiscoverHandler({
  publish,
  concurrencyPerCluster,
  ...options
}: DiscoverHandlerOptions): BatchHandler {
  return createHandler({
    ...options,
    ...(concurrencyPerCluster !== undefined && { settings: { concurrencyPerCluster } }),
    reconcile: async ({ cluster, namespace, service }, { signal }) => {
      const key = { cluster, namespace, service }
      const outcome = await publish(key, signal)
      if (outcome.deltas > 0) options.logger.info({ ...key, ...outcome }, 'published views')
    },
  })
}
