import {
  createQueueClient,
  createReceivedMessages,
  type Log,
  type QueueClient,
  QueueError,
  queueUrlOf,
  type ReceivedMessages,
  readRedrivePolicy,
} from '../../../../shared/queue/index.ts'

/** A dead-letter queue, opened by its own URL or by that of the lane that it belongs to. */
export interface LetterBox {
  readonly client: QueueClient
  readonly url: string
  /** URL of the lane whose dead letters these are; absent if the queue was opened by its own URL. */
  readonly laneUrl?: string
  readonly received: ReceivedMessages
}

/** @throws QueueError when one cannot be reached or read */
export async function openBoxes(urls: readonly string[], logger: Log): Promise<LetterBox[]> {
  const boxes = new Map<string, LetterBox>()
  for (const url of urls) {
    const box = await openBox(url, logger)
    boxes.set(box.url, { ...boxes.get(box.url), ...box })
  }
  return [...boxes.values()]
}

async function openBox(queueUrl: string, logger: Log): Promise<LetterBox> {
  const client = await createQueueClient(queueUrl)
  try {
    const policy = await readRedrivePolicy(client, queueUrl)
    const isLane = policy !== undefined
    const url = isLane ? await queueUrlOf(client, policy.deadLetterTargetArn, queueUrl) : queueUrl
    const received = createReceivedMessages({ client, queueUrl: url, logger })
    return { client, url, received, ...(isLane && { laneUrl: queueUrl }) }
  } catch (cause) {
    client.destroy()
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause)
    throw new QueueError(
      `failed to open queue ${queueUrl}: ${reason}; check the URL, the region and the credentials`,
      { cause },
    )
  }
}
