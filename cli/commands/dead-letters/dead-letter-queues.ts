import {
  createQueueClient,
  createReceivedMessages,
  type QueueClient,
  QueueError,
  queueUrlOf,
  type ReceivedMessages,
  readRedrivePolicy,
} from '../../../shared/queue/index.ts'
import type { Log } from '../../../shared/telemetry/index.ts'
import { errorMessage } from '../../../shared/values/index.ts'

/** A dead-letter queue, opened by its own URL or by that of the lane that it belongs to. */
export interface DeadLetterQueue {
  readonly client: QueueClient
  readonly url: string
  /** URLs of the lanes whose dead letters these are; none if the queue was opened by its own URL only. */
  readonly laneUrls: ReadonlySet<string>
  readonly received: ReceivedMessages
}

export interface NamedQueue {
  /** Of a dead-letter queue, or of a lane that has one. */
  readonly url: string
  /** Lane whose dead-letter queue this is, if a run reports it: its redrive policy is not followed. */
  readonly laneUrl?: string
}

interface OpenOptions {
  readonly logger: Log
  /** Whether a queue is opened that is the dead-letter target of no other; default false. */
  readonly force?: boolean
}

/** @throws QueueError when one cannot be reached or read, or is no dead-letter queue */
export async function openBoxes(
  queues: readonly NamedQueue[],
  options: OpenOptions,
): Promise<DeadLetterQueue[]> {
  const boxes = new Map<string, DeadLetterQueue>()
  try {
    for (const queue of queues) {
      addBox(boxes, await openBox(queue, options))
    }
  } catch (error) {
    for (const { client } of boxes.values()) client.destroy()
    throw error
  }
  return [...boxes.values()]
}

/** Adds a queue by its URL. Of one that was opened before, the latest client stays, and all lanes. */
export function addBox(boxes: Map<string, DeadLetterQueue>, box: DeadLetterQueue): void {
  const { client, laneUrls } = boxes.get(box.url) ?? {}
  client?.destroy()
  boxes.set(box.url, laneUrls === undefined ? box : { ...box, laneUrls: box.laneUrls.union(laneUrls) })
}

/** Returns the URL of the lane that dead letters without a lane came from, if that can be one only. */
export const onlyLaneOf = ({ laneUrls: [first, ...others] }: DeadLetterQueue): string | undefined =>
  others.length === 0 ? first : undefined

async function openBox(named: NamedQueue, { logger, force = false }: OpenOptions): Promise<DeadLetterQueue> {
  const { url: queueUrl } = named
  const client = await createQueueClient(queueUrl)
  try {
    const policy = named.laneUrl === undefined ? await readRedrivePolicy(client, queueUrl) : undefined
    const laneUrl = policy === undefined ? named.laneUrl : queueUrl
    const url = policy ? await queueUrlOf(client, policy.deadLetterTargetArn, queueUrl) : queueUrl
    // The target of a policy is a dead-letter queue by that.
    if (policy === undefined && !force) await assertDeadLetterTarget(client, url)
    const received = createReceivedMessages({ client, queueUrl: url, logger })
    return { client, url, received, laneUrls: new Set(laneUrl === undefined ? [] : [laneUrl]) }
  } catch (cause) {
    client.destroy()
    if (cause instanceof NoDeadLetterQueueError) throw cause
    const reason = errorMessage(cause)
    throw new QueueError(
      `failed to open queue ${queueUrl}: ${reason}; check the URL, the region and the credentials`,
      { cause },
    )
  }
}

/** The queue holds no dead letters, as far as its server says. */
class NoDeadLetterQueueError extends QueueError {
  override readonly name = 'NoDeadLetterQueueError'
}

/** Servers that emulate SQS serve some of its actions only. */
const isUnknownAction = (cause: unknown): boolean =>
  cause instanceof Error && /^(InvalidAction|UnsupportedOperation)/.test(cause.name)

/** Refuses a lane without a redrive policy: reading hides its keys from the function, dropping loses them. */
async function assertDeadLetterTarget(client: QueueClient, url: string): Promise<void> {
  let queueUrls: readonly string[] | undefined
  try {
    ;({ queueUrls } = await client.listDeadLetterSourceQueues({ QueueUrl: url }))
  } catch (cause) {
    const reason = errorMessage(cause)
    const why = isUnknownAction(cause)
      ? 'its server does not know ListDeadLetterSourceQueues: name'
      : `${reason}; this needs sqs:ListDeadLetterSourceQueues, or name`
    throw new NoDeadLetterQueueError(
      `failed to find out whether queue ${url} is a dead-letter queue: ${why} the lane’s queue instead; dead-letters --force does without`,
      { cause },
    )
  }
  if (queueUrls === undefined || queueUrls.length === 0)
    throw new NoDeadLetterQueueError(
      `queue ${url} is no dead-letter queue: it has no redrive policy, and no redrive policy names it; check the URL; dead-letters --force takes its messages for dead letters all the same`,
    )
}
