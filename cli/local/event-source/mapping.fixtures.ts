import type { SQSEvent } from 'aws-lambda'
import { afterEach, beforeEach, vi } from 'vitest'
import type { QueueClient } from '../../../shared/queue/index.ts'
import { type EmbeddedQueue, startEmbeddedQueue } from '../embedded-queue/embedded-queue.ts'
import {
  type EventSourceMapping,
  type EventSourceMappingOptions,
  startEventSourceMapping,
} from './mapping.ts'

export const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
export const bodiesOf = ({ Records }: SQSEvent): string[] => Records.map(({ body }) => body)
export const failAll = async ({ Records }: SQSEvent) => ({
  batchItemFailures: Records.map(({ messageId }) => ({ itemIdentifier: messageId })),
})
export const waitFor = (condition: () => unknown) => vi.waitFor(condition, { timeout: 15_000, interval: 10 })

export async function sendTo(
  client: QueueClient,
  QueueUrl: string,
  bodies: readonly string[],
): Promise<void> {
  for (let start = 0; start < bodies.length; start += 10) {
    const Entries = bodies
      .slice(start, start + 10)
      .map((MessageBody, index) => ({ Id: `${index}`, MessageBody }))
    await client.sendMessageBatch({ QueueUrl, Entries })
  }
}

/** Makes a handler whose invocations run until they are released. */
export function heldHandler() {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const begun: string[] = []
  let running = 0
  let peak = 0
  return {
    release,
    begun,
    peak: () => peak,
    running: () => running,
    handler: async (event: SQSEvent): Promise<undefined> => {
      begun.push(...bodiesOf(event))
      peak = Math.max(peak, ++running)
      await promise
      running--
    },
  }
}

export const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `message ${index}`)

/** Gives each test a queue of its own, and mappings that end with the test. */
export function useEventSource() {
  let queue: EmbeddedQueue
  let queueUrl: string
  let mappings: EventSourceMapping[]

  beforeEach(async () => {
    queue = await startEmbeddedQueue({ visibilityTimeoutSeconds: 1, maxReceiveCount: 2 })
    queueUrl = queue.lanes.live.url
    mappings = []
  })

  afterEach(async () => {
    await Promise.all(mappings.map((mapping) => mapping.stop()))
    await queue.stop()
  })

  async function start(
    options: Pick<EventSourceMappingOptions, 'handler'> & Partial<EventSourceMappingOptions>,
  ) {
    const { client } = queue
    const mapping = await startEventSourceMapping({
      client,
      queueUrl,
      logger,
      isOwnQueue: true,
      ...options,
      limits: { functionTimeoutSeconds: 1, ...options.limits },
    })
    mappings.push(mapping)
    return mapping
  }

  const send = (bodies: readonly string[]) => sendTo(queue.client, queueUrl, bodies)
  /** Hides messages for longer, as a busy machine may keep one for more than the usual second. */
  async function hideForLonger(): Promise<void> {
    await replaceQueue({ visibilityTimeoutSeconds: 5, maxReceiveCount: 2 })
  }
  /** Replaces the queue; to be called before anything is sent. */
  async function replaceQueue(options: Parameters<typeof startEmbeddedQueue>[0]): Promise<void> {
    await queue.stop()
    queue = await startEmbeddedQueue(options)
    queueUrl = queue.lanes.live.url
  }
  async function countsOf(QueueUrl: string): Promise<{ visible: number; inFlight: number }> {
    const { Attributes } = await queue.client.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] })
    return {
      visible: Number(Attributes?.ApproximateNumberOfMessages),
      inFlight: Number(Attributes?.ApproximateNumberOfMessagesNotVisible),
    }
  }

  return {
    start,
    send,
    hideForLonger,
    countsOf,
    get queue() {
      return queue
    },
    get queueUrl() {
      return queueUrl
    },
    get mappings(): readonly EventSourceMapping[] {
      return mappings
    },
    replaceQueue,
  }
}
