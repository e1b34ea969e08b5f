import { LANES, type Lane, type LocalCredentials, type QueueClient } from '../../../shared/queue/index.ts'
import { createEmbeddedClient } from './embedded-client.ts'
import { startEmbeddedServer } from './embedded-server.ts'
import { openStore, type SqsActions, type SqsQueue, type SqsStore } from './embedded-store.ts'

interface EmbeddedQueueOptions {
  /** Time for which a received message of any lane stays invisible, in whole seconds from 0 to 43,200. */
  readonly visibilityTimeoutSeconds: number
  /** Receives after which a message goes to its lane's dead letters; default 12. */
  readonly maxReceiveCount?: number
}

interface LaneQueues {
  readonly url: string
  readonly deadLetterUrl: string
}

/** SQS in this process: messages live in memory and end with it. */
export interface EmbeddedQueue {
  /** `http://127.0.0.1:PORT`, speaking SQS' JSON protocol. */
  readonly endpoint: string
  /** Requests to the endpoint must be signed with them. */
  readonly credentials: LocalCredentials
  /** Calls the same queues within this process; destroyed by `stop`. */
  readonly client: QueueClient
  readonly lanes: Readonly<Record<Lane, LaneQueues>>
  /** Ends running requests, the long polls of consumers among them, and frees the port. */
  stop(): Promise<void>
}

/** Only names in ARNs and signatures: nothing here is on AWS. */
const REGION = 'us-east-1'
/** 14 days, SQS' maximum: dead letters must outlive the messages of the queue that they come from. */
const DEAD_LETTER_RETENTION_SECONDS = 1_209_600

/**
 * Makes a queue and a dead-letter queue for each lane, and serves them as SQS on a free port of the loopback
 * interface as well.
 *
 * fauxqs differs from SQS in what may matter here: it has no fair queues (`MessageGroupId` is accepted and
 * forgotten), which the event source mapping makes up for, and no retention.
 */
export async function startEmbeddedQueue({
  visibilityTimeoutSeconds,
  maxReceiveCount = 12,
}: EmbeddedQueueOptions): Promise<EmbeddedQueue> {
  const { store, actions } = await openStore()
  store.region = REGION
  const client = createEmbeddedClient(store, actions)
  const { endpoint, credentials, stop: stopServer } = await startEmbeddedServer(client)
  const stop = async (): Promise<void> => {
    client.destroy()
    // Ends long polls.
    store.shutdown()
    await stopServer()
  }
  try {
    const attributes = { VisibilityTimeout: String(visibilityTimeoutSeconds) }
    const laneOf = (lane: Lane): LaneQueues =>
      createLane({ store, actions, endpoint, lane, attributes, maxReceiveCount })
    const lanes = Object.fromEntries(LANES.map((lane) => [lane, laneOf(lane)])) as Record<Lane, LaneQueues>
    return { endpoint, credentials, client, lanes, stop }
  } catch (err) {
    await stop()
    throw err
  }
}

interface LaneInputs {
  readonly store: SqsStore
  readonly actions: SqsActions
  readonly endpoint: string
  readonly lane: Lane
  readonly attributes: Record<string, string>
  readonly maxReceiveCount: number
}

function createLane({ store, actions, endpoint, lane, attributes, maxReceiveCount }: LaneInputs): LaneQueues {
  const create = (name: string, Attributes: Record<string, string>): SqsQueue => {
    actions.createQueue({ QueueName: name, Attributes }, store, { headers: { host: new URL(endpoint).host } })
    const queue = store.getQueueByName(name)
    if (queue === undefined) throw new Error(`failed to create queue ${name}`)
    return queue
  }
  // fauxqs makes up a host name, sqs.us-east-1.localhost, which not every resolver knows.
  const urlOf = ({ url }: SqsQueue): string => new URL(new URL(url).pathname, endpoint).href
  const deadLetters = create(`sliceflow-${lane}-dead-letters`, {
    ...attributes,
    MessageRetentionPeriod: String(DEAD_LETTER_RETENTION_SECONDS),
  })
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: deadLetters.arn, maxReceiveCount })
  const queue = create(`sliceflow-${lane}`, { ...attributes, RedrivePolicy })
  return { url: urlOf(queue), deadLetterUrl: urlOf(deadLetters) }
}
