import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs'
import { buildApp } from 'fauxqs'
import { LANES, type Lane } from '../../shared/queue/index.ts'
import { giveBackAbandonedPolls } from './abandoned-polls.ts'

export interface EmbeddedQueueOptions {
  /** For how long a received message stays invisible, in whole seconds from 0 to 43,200; of every lane. */
  readonly visibilityTimeoutSeconds: number
  /** Receives after which a message goes to its lane's dead letters; default 12. */
  readonly maxReceiveCount?: number
}

export interface LaneQueues {
  readonly url: string
  readonly deadLetterUrl: string
}

/** SQS in this process: messages live in memory and end with it. */
export interface EmbeddedQueue {
  /** `http://127.0.0.1:PORT`, speaking SQS' JSON protocol; needs no credentials. */
  readonly endpoint: string
  /** Keeps its connections alive; destroyed by `stop`. */
  readonly client: SQSClient
  readonly lanes: Readonly<Record<Lane, LaneQueues>>
  /** Ends running requests, the long polls of consumers among them, and frees the port. */
  stop(): Promise<void>
}

/** Only names in ARNs and signatures: nothing here is on AWS. */
const REGION = 'us-east-1'
/** 14 days, SQS' maximum: dead letters must outlive the messages of the queue that they come from. */
const DEAD_LETTER_RETENTION_SECONDS = 1_209_600

/**
 * Starts an SQS server on a free port of the loopback interface, with a queue and a dead-letter queue for each lane.
 *
 * fauxqs differs from SQS in what may matter here: it has no fair queues (`MessageGroupId` is accepted and forgotten)
 * and no retention.
 */
export async function startEmbeddedQueue({
  visibilityTimeoutSeconds,
  maxReceiveCount = 12,
}: EmbeddedQueueOptions): Promise<EmbeddedQueue> {
  // Not `startFauxqs`: it listens on every interface, whatever its host option.
  const app = buildApp({ logger: false, defaultRegion: REGION })
  giveBackAbandonedPolls(app)
  const endpoint = await app.listen({ port: 0, host: '127.0.0.1' })
  const client = createLocalClient(endpoint)
  const stop = async (): Promise<void> => {
    client.destroy()
    await app.close()
  }
  try {
    const created = LANES.map(async (lane) => {
      const attributes = { VisibilityTimeout: String(visibilityTimeoutSeconds) }
      return [lane, await createLane({ client, endpoint, lane, attributes, maxReceiveCount })] as const
    })
    const lanes = Object.fromEntries(await Promise.all(created)) as Record<Lane, LaneQueues>
    return { endpoint, client, lanes, stop }
  } catch (err) {
    await stop()
    throw err
  }
}

/** Every setting is given, so that the SDK looks for none in the environment or in ~/.aws, credentials least of all. */
function createLocalClient(endpoint: string): SQSClient {
  return new SQSClient({
    endpoint,
    region: REGION,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    authSchemePreference: [],
    defaultsMode: 'standard',
    disableClockSkewCorrection: true,
    maxAttempts: 3,
    retryMode: 'standard',
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    userAgentAppId: 'sliceflow',
  })
}

interface LaneInputs {
  readonly client: SQSClient
  readonly endpoint: string
  readonly lane: Lane
  readonly attributes: Record<string, string>
  readonly maxReceiveCount: number
}

async function createLane({
  client,
  endpoint,
  lane,
  attributes,
  maxReceiveCount,
}: LaneInputs): Promise<LaneQueues> {
  const create = async (name: string, Attributes: Record<string, string>): Promise<string> => {
    const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: name, Attributes }))
    if (QueueUrl === undefined) throw new Error(`failed to create queue ${name}: the answer has no URL`)
    // fauxqs answers with a host of its own making, sqs.us-east-1.localhost, which not every resolver knows.
    return new URL(new URL(QueueUrl).pathname, endpoint).href
  }
  const deadLetterUrl = await create(`sliceflow-${lane}-dead-letters`, {
    ...attributes,
    MessageRetentionPeriod: String(DEAD_LETTER_RETENTION_SECONDS),
  })
  const deadLetterTargetArn = await queueArn(client, deadLetterUrl)
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount })
  return { url: await create(`sliceflow-${lane}`, { ...attributes, RedrivePolicy }), deadLetterUrl }
}

async function queueArn(client: SQSClient, QueueUrl: string): Promise<string> {
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] })
  const arn = (await client.send(command)).Attributes?.QueueArn
  if (arn === undefined)
    throw new Error(`failed to read the attributes of queue ${QueueUrl}: the answer has no QueueArn`)
  return arn
}
