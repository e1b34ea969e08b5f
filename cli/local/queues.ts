import {
  createDeadLetterSender,
  createQueueClient,
  type DeadLetterSender,
  type Lane,
  type QueueClient,
  QueueError,
  queueUrlOf,
  readRedrivePolicy,
  visibilityTimeoutSeconds,
} from '../../shared/queue/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import { errorMessage } from '../../shared/values/index.ts'
import { startEmbeddedQueue } from './embedded-queue/embedded-queue.ts'

export interface LaneQueue {
  readonly url: string
  readonly deadLetters: DeadLetterSender
  /** Absent where the queue has no dead letters: they are logged and dropped. */
  readonly deadLetterUrl?: string
  /** Receives after which the queue itself moves a message to the dead letters; absent where it has none. */
  readonly maxReceiveCount?: number
}

/** The queues that a relay sends to and a function is fed from. */
export interface Queues {
  readonly client: QueueClient
  /** Both lanes may be one queue. */
  readonly lanes: Readonly<Record<Lane, LaneQueue>>
  /** Whether only processes of this user can send to them. */
  readonly areOwn: boolean
  stop(): Promise<void>
}

/** The queues of a deployment, or of any server that speaks SQS' protocol. */
export interface QueueUrls {
  readonly live: string
  /** Default: the live queue. */
  readonly sweep?: string
}

type QueueSettings = Pick<Settings, 'functionTimeout' | 'batchWindow' | 'maxReceiveCount'>

/** Queues in this process, with the visibility timeout that AWS asks for. */
export async function startEmbeddedQueues({
  functionTimeout,
  batchWindow,
  maxReceiveCount,
}: QueueSettings): Promise<Queues> {
  const { client, lanes, stop } = await startEmbeddedQueue({
    visibilityTimeoutSeconds: visibilityTimeoutSeconds({
      functionTimeoutSeconds: functionTimeout,
      batchWindowSeconds: batchWindow,
    }),
    maxReceiveCount,
  })
  const laneQueue = (lane: Lane): LaneQueue => ({
    url: lanes[lane].url,
    deadLetterUrl: lanes[lane].deadLetterUrl,
    deadLetters: createDeadLetterSender({ client, queueUrl: lanes[lane].deadLetterUrl }),
    maxReceiveCount,
  })
  return { client, lanes: { live: laneQueue('live'), sweep: laneQueue('sweep') }, areOwn: true, stop }
}

/**
 * Queues that exist already; their dead-letter queues are those of their redrive policies.
 * @throws QueueError when a queue cannot be reached or read
 */
export async function openQueues({ live, sweep = live }: QueueUrls, logger: Log): Promise<Queues> {
  const client = await createQueueClient(live)
  const liveQueue = await openLane(client, live, logger)
  const sweepQueue = sweep === live ? liveQueue : await openLane(client, sweep, logger)
  const lanes = { live: liveQueue, sweep: sweepQueue }
  return { client, lanes, areOwn: false, stop: async () => client.destroy() }
}

async function openLane(client: QueueClient, url: string, logger: Log): Promise<LaneQueue> {
  try {
    const policy = await readRedrivePolicy(client, url)
    if (policy === undefined) {
      logger.warn({ queue: url }, 'the queue has no redrive policy: dead letters are logged and dropped')
      return { url, deadLetters: loggedOnly(logger) }
    }
    const deadLetterUrl = await queueUrlOf(client, policy.deadLetterTargetArn, url)
    const deadLetters = createDeadLetterSender({ client, queueUrl: deadLetterUrl })
    return { url, deadLetters, deadLetterUrl, maxReceiveCount: policy.maxReceiveCount }
  } catch (cause) {
    const reason = errorMessage(cause)
    throw new QueueError(
      `failed to open queue ${url}: ${reason}; check the URL, the region and the credentials`,
      { cause },
    )
  }
}

const loggedOnly = (logger: Log): DeadLetterSender => ({
  send: async ({ reason, failureClass, key, messageId }) => {
    logger.error({ ...key, messageId, class: failureClass, reason }, 'dropped a dead letter')
  },
})
