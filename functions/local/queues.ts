import { GetQueueAttributesCommand, GetQueueUrlCommand, SQSClient } from '@aws-sdk/client-sqs'
import {
  createDeadLetterSender,
  type DeadLetterSender,
  type Lane,
  QueueError,
  visibilityTimeoutSeconds,
} from '../../shared/queue/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import { startEmbeddedQueue } from './embedded-queue.ts'

export interface LaneQueue {
  readonly url: string
  readonly deadLetters: DeadLetterSender
}

/** The queues that a relay sends to and a function is fed from. */
export interface Queues {
  readonly client: SQSClient
  /** Both lanes may be one queue. */
  readonly lanes: Readonly<Record<Lane, LaneQueue>>
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
    deadLetters: createDeadLetterSender({ client, queueUrl: lanes[lane].deadLetterUrl }),
  })
  return { client, lanes: { live: laneQueue('live'), sweep: laneQueue('sweep') }, stop }
}

/**
 * Queues that exist already; their dead-letter queues are those of their redrive policies.
 * @throws QueueError when a queue cannot be reached or read
 */
export async function openQueues({ live, sweep = live }: QueueUrls, logger: Log): Promise<Queues> {
  const client = createClient(live)
  const liveQueue = await openLane(client, live, logger)
  const sweepQueue = sweep === live ? liveQueue : await openLane(client, sweep, logger)
  return { client, lanes: { live: liveQueue, sweep: sweepQueue }, stop: async () => client.destroy() }
}

/** AWS' host names tell the region; any other server takes requests signed for whatever region. */
function createClient(url: string): SQSClient {
  const { origin, hostname } = new URL(url)
  const region =
    /^sqs\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?$/.exec(hostname)?.[1] ?? process.env.AWS_REGION ?? 'us-east-1'
  return new SQSClient({ endpoint: origin, region })
}

async function openLane(client: SQSClient, url: string, logger: Log): Promise<LaneQueue> {
  try {
    const policy = await redrivePolicy(client, url)
    if (policy === undefined) {
      logger.warn(
        { queue: url },
        'the queue has no redrive policy: messages that are not keys are logged and dropped',
      )
      return { url, deadLetters: loggedOnly(logger) }
    }
    const name = policy.slice(policy.lastIndexOf(':') + 1)
    const { QueueUrl: answered = '' } = await client.send(new GetQueueUrlCommand({ QueueName: name }))
    // Servers behind another address tell their own host name; the path is what counts.
    const queueUrl = new URL(new URL(answered).pathname, url).href
    return { url, deadLetters: createDeadLetterSender({ client, queueUrl }) }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause)
    throw new QueueError(
      `failed to open queue ${url}: ${reason}; check the URL, the region and the credentials`,
      { cause },
    )
  }
}

async function redrivePolicy(client: SQSClient, url: string): Promise<string | undefined> {
  const command = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['RedrivePolicy'] })
  const text = (await client.send(command)).Attributes?.RedrivePolicy
  return text === undefined ? undefined : JSON.parse(text).deadLetterTargetArn
}

const loggedOnly = (logger: Log): DeadLetterSender => ({
  send: async ({ reason, messageId }) => {
    logger.error({ messageId, reason }, 'dropped a message that is not a key')
  },
})
