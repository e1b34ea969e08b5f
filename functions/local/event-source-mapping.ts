import {
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import type { Context, SQSEvent } from 'aws-lambda'
import { type Backoff, backoffDelay, sleepUnlessAborted } from '../../shared/kubernetes/index.ts'
import { createReceivedMessages, type Log } from '../../shared/queue/index.ts'
import { gatherBatch, type ReceiveRequest } from './event-source-batch.ts'
import { invokeFunction } from './event-source-invoke.ts'
import { assertValidMapping } from './event-source-rules.ts'

export interface BatchReport {
  /** Messages of the batch. */
  readonly messages: number
  /** Messages that stay in the queue and come back after their visibility timeout. */
  readonly failed: number
  /** From the invocation to its answer. */
  readonly durationMs: number
}

export interface EventSourceMappingOptions {
  readonly client: SQSClient
  readonly queueUrl: string
  /** A Lambda handler that reports partial batch failures (`ReportBatchItemFailures`). */
  readonly handler: (event: SQSEvent, context: Context) => Promise<unknown>
  readonly logger: Log
  /** Messages a batch at most, 1 to 10,000; default 10. Above 10 the window must be at least 1 s. */
  readonly batchSize?: number
  /** Whole seconds from a batch's first message, 0 to 300; default 0: what one receive brings. */
  readonly batchWindowSeconds?: number
  /** Invocations at once, 2 to 1,000; default 5. */
  readonly maximumConcurrency?: number
  /** Whole seconds that an invocation may take, 1 to 900; default 60, and at most the queue's visibility timeout. */
  readonly functionTimeoutSeconds?: number
  /** Called after every batch, for counters; must not throw. */
  readonly onBatch?: (report: BatchReport) => void
}

export interface EventSourceMapping {
  /**
   * Receives no more, invokes the function with what is already gathered, and resolves when every batch is done.
   * Messages that were on their way from the queue then come back after their visibility timeout.
   */
  drain(): Promise<void>
  /** Receives no more and gives gathered messages back to the queue; running batches are left to themselves. */
  stop(): Promise<void>
}

/** An answer to a long poll of 20 s that has not come by then will not come: the connection is dead. */
const RECEIVE_TIMEOUT_MS = 30_000
/** Quick to notice that a queue on this machine is back. */
const OUTAGE_BACKOFF: Backoff = { baseMs: 100, capMs: 5000 }

/**
 * Polls a queue and invokes a function with batches, as Lambda's event source mapping for SQS does. It survives outages of
 * the queue once it is started. One poller feeds all invocations, so that batches are as full as the traffic allows;
 * Lambda has at least two, and may wait up to 20 s at low traffic where there is a window.
 * Rejects when the settings break a rule of Lambda's or the queue cannot be reached.
 */
export async function startEventSourceMapping({
  client,
  queueUrl,
  handler,
  logger,
  batchSize = 10,
  batchWindowSeconds = 0,
  maximumConcurrency = 5,
  functionTimeoutSeconds = 60,
  onBatch,
}: EventSourceMappingOptions): Promise<EventSourceMapping> {
  const { queueArn, visibilityTimeoutSeconds } = await readQueue(client, queueUrl)
  assertValidMapping({
    batchSize,
    batchWindowSeconds,
    maximumConcurrency,
    functionTimeoutSeconds,
    visibilityTimeoutSeconds,
  })
  const received = createReceivedMessages({ client, queueUrl, logger })
  const polling = new AbortController()
  const receive = createReceive({ client, queueUrl, logger, signal: polling.signal })
  const running = new Set<Promise<void>>()
  let isStopped = false

  async function poll(): Promise<void> {
    const { promise: aborted, resolve } = Promise.withResolvers<void>()
    polling.signal.addEventListener('abort', () => resolve(), { once: true })
    while (!polling.signal.aborted) {
      if (running.size >= maximumConcurrency) {
        await Promise.race([...running, aborted])
        continue
      }
      const batch = await gatherBatch({ receive, batchSize, batchWindowSeconds, signal: polling.signal })
      if (batch.length === 0) continue
      if (isStopped) await giveBack(batch)
      else start(batch)
    }
  }

  function start(batch: readonly Message[]): void {
    const done = processBatch(batch).finally(() => running.delete(done))
    running.add(done)
  }

  async function processBatch(batch: readonly Message[]): Promise<void> {
    const startedAt = performance.now()
    const failed = await invokeFunction(batch, { handler, queueArn, functionTimeoutSeconds, logger })
    const durationMs = performance.now() - startedAt
    const succeeded = batch.filter(({ MessageId = '' }) => !failed.has(MessageId))
    try {
      await received.delete(succeeded.map(handleOf))
    } catch (err) {
      logger.warn({ err, queueUrl }, 'handled messages could not be deleted: they will be handled once more')
    }
    onBatch?.({ messages: batch.length, failed: failed.size, durationMs })
  }

  async function giveBack(batch: readonly Message[]): Promise<void> {
    try {
      await received.postpone(batch.map((message) => ({ receiptHandle: handleOf(message), seconds: 0 })))
    } catch (err) {
      logger.warn(
        { err, queueUrl },
        'messages could not be given back: they come after their visibility timeout',
      )
    }
  }

  const polled = poll()
  return {
    async drain() {
      polling.abort()
      await polled
      await Promise.all(running)
    },
    async stop() {
      isStopped = true
      polling.abort()
      await polled
    },
  }
}

const handleOf = ({ ReceiptHandle = '' }: Message): string => ReceiptHandle

interface Queue {
  readonly queueArn: string
  readonly visibilityTimeoutSeconds: number
}

async function readQueue(client: SQSClient, queueUrl: string): Promise<Queue> {
  const command = new GetQueueAttributesCommand({
    QueueUrl: queueUrl,
    AttributeNames: ['QueueArn', 'VisibilityTimeout'],
  })
  const { Attributes = {} } = await client.send(command)
  return {
    queueArn: Attributes.QueueArn ?? '',
    visibilityTimeoutSeconds: Number(Attributes.VisibilityTimeout),
  }
}

interface ReceiveOptions {
  readonly client: SQSClient
  readonly queueUrl: string
  readonly logger: Log
  readonly signal: AbortSignal
}

/** A receive that never rejects: an error is logged, waited out with a growing delay, and brings no messages. */
function createReceive({ client, queueUrl, logger, signal }: ReceiveOptions) {
  let failures = 0
  return async ({ maxMessages, waitSeconds }: ReceiveRequest): Promise<readonly Message[]> => {
    const command = new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: maxMessages,
      WaitTimeSeconds: waitSeconds,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    })
    const deadConnection = new AbortController()
    const timer = setTimeout(() => deadConnection.abort(), RECEIVE_TIMEOUT_MS)
    try {
      const abortSignal = AbortSignal.any([signal, deadConnection.signal])
      const { Messages = [] } = await client.send(command, { abortSignal })
      if (failures > 0) logger.info({ queueUrl, failures }, 'the queue answers again')
      failures = 0
      return Messages
    } catch (err) {
      if (signal.aborted) return []
      logger.warn({ err, queueUrl, failures: ++failures }, 'failed to receive messages: trying again')
      await sleepUnlessAborted(backoffDelay(failures - 1, OUTAGE_BACKOFF), signal)
      return []
    } finally {
      clearTimeout(timer)
    }
  }
}
