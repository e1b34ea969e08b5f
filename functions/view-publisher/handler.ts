import type { ServiceKey } from '../../shared/changes/index.ts'
import {
  type BatchHandler,
  classify,
  createHandler,
  type HandlerOptions,
} from '../../shared/queue/consumer/index.ts'
import type { Publish } from './publisher.ts'
import type { PublicationStore } from './store/publication-store.ts'

/** Receives of a key of the sweep, which sends it again: fewer than those after which any key is given up. */
const SWEPT_RECEIVES = 3

interface ViewPublisherHandlerOptions extends Omit<HandlerOptions, 'reconcile'> {
  readonly publish: Publish
  readonly store: Pick<PublicationStore, 'load'>
}

/**
 * Creates the Lambda handler for batches of keys: as the reconcile function's, but for each key it publishes
 * the views.
 */
export const createViewPublisherHandler = ({
  publish,
  store,
  settings = {},
  ...options
}: ViewPublisherHandlerOptions): BatchHandler => {
  const { logger } = options
  const { maxReceiveCount = Number.POSITIVE_INFINITY } = settings

  /** Reports whether the sweep sends the key. */
  async function isSwept(key: ServiceKey): Promise<boolean> {
    const { views = [], pending = [] } = (await store.load(key)) ?? {}
    return views.length + pending.length > 0
  }

  return createHandler({
    ...options,
    // The relay sends keys at its start and when something changes; the sweep knows what was published.
    settings: { ...settings, isSentAgain: false },
    reconcile: async ({ cluster, namespace, service, audit }, { signal, receiveCount }) => {
      const key = { cluster, namespace, service }
      try {
        const outcome = await publish(key, signal)
        if (outcome.deltas > 0) logger.info({ ...key, ...outcome }, 'published views')
      } catch (err) {
        const isLast = receiveCount >= (audit ? SWEPT_RECEIVES : maxReceiveCount)
        const isLeft = audit || classify(err).class === 'Unreachable'
        if (!isLast || !isLeft || !(await isSwept(key))) throw err
        // Each sweep would make a dead letter of it.
        logger.warn({ ...key, err }, 'failed to publish views: they stay, and the sweep sends the key again')
      }
    },
  })
}
