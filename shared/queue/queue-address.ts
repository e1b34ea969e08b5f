import type { SQS } from '@aws-sdk/client-sqs'
import * as v from 'valibot'
import { awsClientOptions } from '../proxy/index.ts'
import { describeIssues, object, safeParse, whole } from '../schema/index.ts'
import { parseJson } from '../values/index.ts'
import type { QueueClient } from './client.ts'
import { QueueError } from './errors.ts'
import { readLocalCredentials } from './local-credentials.ts'

export interface RedrivePolicy {
  /** ARN of the dead-letter queue. */
  readonly deadLetterTargetArn: string
  /** Receives after which SQS moves a message there. */
  readonly maxReceiveCount: number
}

/** SQS writes the count as a number or, as it was once set so, as text. */
const policySchema = object({
  deadLetterTargetArn: v.string(),
  maxReceiveCount: v.pipe(v.unknown(), v.transform(Number), whole(1)),
})

/** Where a host name of any partition would name the region. */
const QUEUE_HOST = /^sqs\.([a-z0-9-]+)\./

/** Returns the host name of a region's SQS, by the SDK's rules of all partitions. */
const hostOf = ({ config: { endpointProvider } }: SQS, region: string): string =>
  endpointProvider({ Region: region, UseFIPS: false, UseDualStack: false }).url.hostname

const ANY_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' }
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** Creates a client for the server of a queue's URL, in the region that the host names of AWS say. */
export async function createQueueClient(queueUrl: string): Promise<SQS> {
  const { origin, hostname, port } = new URL(queueUrl)
  // Loaded here only: the embedded queue does without the SDK, which takes 30 MB.
  const { SQS } = await import('@aws-sdk/client-sqs')
  const [, named] = QUEUE_HOST.exec(hostname) ?? []
  const isOfAws = named !== undefined && hostOf(new SQS({ region: named }), named) === hostname
  const region = (isOfAws ? named : process.env.AWS_REGION) ?? 'us-east-1'
  const options = { ...awsClientOptions(), endpoint: origin, region }
  if (!LOOPBACK.has(hostname)) return new SQS(options)
  // A queue on this machine is not AWS: it wants the credentials of `run`, or anybody's.
  const credentials = (await readLocalCredentials(Number(port))) ?? ANY_CREDENTIALS
  return new SQS({ ...options, credentials })
}

/** Reads the redrive policy of a queue; undefined if it has none. */
export async function readRedrivePolicy(
  client: QueueClient,
  queueUrl: string,
): Promise<RedrivePolicy | undefined> {
  const { Attributes } = await client.getQueueAttributes({
    QueueUrl: queueUrl,
    AttributeNames: ['RedrivePolicy'],
  })
  const text = Attributes?.RedrivePolicy
  if (text === undefined || text === '') return undefined
  const policy = safeParse(policySchema, parseJson(text))
  if (policy.success) return policy.data
  throw new QueueError(
    `failed to read the redrive policy of queue ${queueUrl}: ${describeIssues(policy.issues)}`,
  )
}

/** Finds the URL of the queue with this ARN, on the server that `besideUrl` is on. */
export async function queueUrlOf(client: QueueClient, arn: string, besideUrl: string): Promise<string> {
  const QueueName = arn.slice(arn.lastIndexOf(':') + 1)
  const { QueueUrl: answered = '' } = await client.getQueueUrl({ QueueName })
  // Servers behind another address return their own host name; only the path matters.
  return new URL(new URL(answered).pathname, besideUrl).href
}
