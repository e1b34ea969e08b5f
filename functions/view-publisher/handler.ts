import {
  type BatchHandler,
  classify,
  createHandler,
  type HandlerOptions,
} from '../../shared/queue/consumer/index.ts'
import type { Publisher } from './publisher.ts'

/** Receives of a key of the sweep, which sends it again: fewer than those after which any key is given up. */
const SWEPT_RECEIVES = 3

interface ViewPublisherHandlerOptions extends Omit<HandlerOptions, 'reconcile'> {
  readonly publisher: Publisher
}

/** Creates the Lambda handler for batches of keys: for each key it publishes the views. */
export const createViewPublisherHandler = ({
  publisher,
  settings = {},
  ...options
}: ViewPublisherHandlerOptions): BatchHandler => {
  const { logger } = options
  const { maxReceiveCount = Number.POSITIVE_INFINITY } = settings

  return createHandler({
    ...options,
    // The relay sends keys at its start and when something changes; the sweep knows what was published.
    settings: { ...settings, isSentAgain: false },
    reconcile: async ({ cluster, namespace, service, audit }, { signal, receiveCount }) => {
      const key = { cluster, namespace, service }
      try {
        await publisher.publish(key, signal)
      } catch (err) {
        if (receiveCount < (audit ? SWEPT_RECEIVES : maxReceiveCount)) throw err
        // Of what the sweep sends each one would make a dead letter.
        const isUnreachable = classify(err).class === 'Unreachable'
        if (!audit && !(isUnreachable && (await publisher.isPublished(key)))) throw err
        logger.warn({ ...key, err }, 'failed to publish views: they stay, and the sweep sends the key again')
      }
    },
  })
}
