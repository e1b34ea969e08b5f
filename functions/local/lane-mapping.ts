import { createHandler, type Reconcile } from '../../shared/queue/consumer/index.ts'
import { createReceivedMessages, type Lane } from '../../shared/queue/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import { type EventSourceMapping, startEventSourceMapping } from './event-source/index.ts'
import type { LocalObserver } from './observer.ts'
import type { Queues } from './queues.ts'

export interface LaneMappingOptions {
  readonly queues: Queues
  readonly settings: Settings
  readonly logger: Log
  readonly reconcile: Reconcile
  readonly observer: LocalObserver
}

/** Invokes the reconcile function with the messages of one lane. */
export function startLane(
  lane: Lane,
  { reconcile, queues, settings, observer, logger }: LaneMappingOptions,
): Promise<EventSourceMapping> {
  const { client } = queues
  const { url: queueUrl, deadLetters, maxReceiveCount } = queues.lanes[lane]
  const handler = createHandler({
    reconcile,
    deadLetters,
    visibility: createReceivedMessages({ client, queueUrl, logger }),
    logger,
    settings: { concurrencyPerCluster: settings.keysPerCluster, maxReceiveCount },
    onDeadLetter: observer.onDeadLetter?.bind(observer),
    onLeft: observer.onLeft?.bind(observer),
  })
  return startEventSourceMapping({
    client,
    queueUrl,
    handler: (event, context) => handler(event, context),
    logger,
    limits: {
      batchSize: settings.batchSize,
      batchWindowSeconds: settings.batchWindow,
      maximumConcurrency: settings.maximumConcurrency,
      functionTimeoutSeconds: settings.functionTimeout,
    },
    onBatch: observer.onBatch?.bind(observer),
  })
}
