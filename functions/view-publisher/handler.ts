import { type BatchHandler, createHandler, type HandlerOptions } from '../../shared/queue/consumer/index.ts'
import type { Publish } from './publisher.ts'

interface ViewPublisherHandlerOptions extends Omit<HandlerOptions, 'reconcile'> {
  readonly publish: Publish
}

/**
 * Creates the Lambda handler for batches of keys: as the reconcile function's, but for each key it publishes
 * the views.
 */
export const createViewPublisherHandler = ({
  publish,
  settings,
  ...options
}: ViewPublisherHandlerOptions): BatchHandler =>
  createHandler({
    ...options,
    // The relay sends keys at its start and when something changes; the sweep knows what was published.
    settings: { ...settings, isSentAgain: false },
    reconcile: async ({ cluster, namespace, service }, { signal }) => {
      const key = { cluster, namespace, service }
      const outcome = await publish(key, signal)
      if (outcome.deltas > 0) options.logger.info({ ...key, ...outcome }, 'published views')
    },
  })
