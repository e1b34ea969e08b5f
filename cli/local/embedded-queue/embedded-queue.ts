import type { Lane } from '../../../shared/queue/index.ts'
import { createEmbeddedClient } from './embedded-client.ts'
import { startEmbeddedServer } from './embedded-server.ts'
import { openStore, type SqsQueue } from './embedded-store.ts'

interface EmbeddedQueueOptions {
  /** Time for which a received message of any lane stays invisible, in whole seconds from 0 to 43,200. */
  readonly visibilityTimeoutSeconds: number
  /** Receives after which a message goes to its lane's dead letters; default 12. */
  readonly maxReceiveCount?: number
}

/** SQS in this process: messages live in memory and end with it. */
export type EmbeddedQueue = Awaited<ReturnType<typeof startEmbeddedQueue>>

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
}: EmbeddedQueueOptions) {
  const { store, actions } = await openStore()
  store.region = REGION
  const client = createEmbeddedClient(store, actions)
  const { endpoint, credentials, stop: stopServer } = await startEmbeddedServer(client)
  /** Ends running requests, the long polls of consumers among them, and frees the port. */
  const stop = async (): Promise<void> => {
    client.destroy()
    // Ends long polls.
    store.shutdown()
    await stopServer()
  }
  try {
    return {
      /** `http://127.0.0.1:PORT`, speaking SQS' JSON protocol. */
      endpoint,
      /** Requests to the endpoint must be signed with them. */
      credentials,
      /** Calls the same queues within this process; destroyed by `stop`. */
      client,
      lanes: { live: createLane('live'), sweep: createLane('sweep') },
      stop,
    }
  } catch (err) {
    await stop()
    throw err
  }

  function createLane(lane: Lane): { readonly url: string; readonly deadLetterUrl: string } {
    const deadLetters = createQueue(`sliceflow-${lane}-dead-letters`, {
      MessageRetentionPeriod: String(DEAD_LETTER_RETENTION_SECONDS),
    })
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: deadLetters.arn, maxReceiveCount })
    const queue = createQueue(`sliceflow-${lane}`, { RedrivePolicy })
    return { url: urlOf(queue), deadLetterUrl: urlOf(deadLetters) }
  }

  function createQueue(QueueName: string, attributes: Record<string, string>): SqsQueue {
    const Attributes = { VisibilityTimeout: String(visibilityTimeoutSeconds), ...attributes }
    actions.createQueue({ QueueName, Attributes }, store, { headers: { host: new URL(endpoint).host } })
    const queue = store.getQueueByName(QueueName)
    if (queue === undefined) throw new Error(`failed to create queue ${QueueName}`)
    return queue
  }

  /** fauxqs makes up a host name, sqs.us-east-1.localhost, which not every resolver knows. */
  function urlOf({ url }: SqsQueue): string {
    return new URL(new URL(url).pathname, endpoint).href
  }
}
