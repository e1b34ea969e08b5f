import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Message } from '@aws-sdk/client-sqs'
import type { Context, SQSEvent } from 'aws-lambda'
import { createReceivedMessages, type QueueClient, readRedrivePolicy } from '../../../shared/queue/index.ts'
import type { Log } from '../../../shared/telemetry/index.ts'
import { type BatchReport, createProcessBatch } from './event-source-batch.ts'
import { type Batch, createMessageBuffer } from './event-source-buffer.ts'
import { createPostpone } from './event-source-postpone.ts'
import { createReceive } from './event-source-receive.ts'
import { assertValidMapping, DEFAULT_LIMITS, type MappingLimits } from './event-source-rules.ts'

export interface EventSourceMappingOptions {
  readonly client: QueueClient
  readonly queueUrl: string
  /** A Lambda handler that reports partial batch failures (`ReportBatchItemFailures`). */
  readonly handler: (event: SQSEvent, context: Context) => Promise<unknown>
  readonly logger: Log
  /** Default: {@link DEFAULT_LIMITS}. */
  readonly limits?: Partial<MappingLimits>
  /** Called after every batch, for counters; must not throw. */
  readonly onBatch?: (report: BatchReport) => void
}

export interface EventSourceMapping {
  /**
   * Receives no more, invokes the function with all that it holds, and resolves when every batch is done.
   * Messages that were on their way from the queue then come back after their visibility timeout.
   */
  drain(): Promise<void>
  /**
   * Receives no more and gives back what waits, also while it drains; running batches are left to themselves.
   */
  stop(): Promise<void>
}

/**
 * Messages that wait here at most: some 3 MB. What is beyond waits in the queue, with those of other clusters
 * among it.
 */
const CAPACITY = 2_000
/** Delay in seconds of messages that a cluster has above the capacity; it doubles each time. */
const FIRST_RETURN_SECONDS = 5
const MAX_RETURN_SECONDS = 300
/** Maximum share of its receives that a message may use up by such delays; the others are for failures. */
const RETURNED_SHARE = 0.5
/**
 * Renewals of the visibility of waiting messages in one visibility timeout, so that an invocation begins with
 * most of it left.
 */
const RENEWALS = 4

/**
 * Polls a queue and invokes a function with batches, as Lambda's event source mapping for SQS does, and
 * serves clusters in turn, as SQS' fair queues do for it ({@link MessageBuffer}). It survives outages of the
 * queue once it is started.
 *
 * It receives ahead, up to 2,000 messages, so as to find those of quiet clusters behind those of others. Of
 * the cluster with the most it sends back what is beyond, which counts as a receive; a message that has used
 * up half of its receives is not sent back, and while such messages alone fill the buffer, others wait in the
 * queue.
 *
 * One poller feeds all invocations, so that batches are as full as the traffic allows; Lambda has at least
 * two, and may wait up to 20 s at low traffic where there is a window. Rejects when the settings break a rule
 * of Lambda's or the queue cannot be reached.
 */
export async function startEventSourceMapping({
  client,
  queueUrl,
  handler,
  logger,
  limits: given,
  onBatch,
}: EventSourceMappingOptions): Promise<EventSourceMapping> {
  const { queueArn, visibilityTimeoutSeconds, maxReceiveCount } = await readQueue(client, queueUrl)
  const limits = { ...DEFAULT_LIMITS, ...given }
  assertValidMapping(limits, visibilityTimeoutSeconds)
  const { batchSize, batchWindowSeconds, maximumConcurrency, functionTimeoutSeconds } = limits
  const received = createReceivedMessages({ client, queueUrl, logger })
  const common = { received, queueUrl, logger }
  const postpone = createPostpone(common)
  const processBatch = createProcessBatch({ ...common, handler, queueArn, functionTimeoutSeconds, onBatch })
  const polling = new AbortController()
  const receive = createReceive({ client, queueUrl, logger, signal: polling.signal })
  const buffer = createMessageBuffer({
    batchSize,
    batchWindowMs: batchWindowSeconds * 1000,
    maximumConcurrency,
    capacity: Math.max(CAPACITY, batchSize),
  })
  const running = new Set<Promise<void>>()
  const renewing = setInterval(renew, (visibilityTimeoutSeconds * 1000) / RENEWALS)
  let windowEnd: NodeJS.Timeout | undefined
  /** Ends the wait for room in the buffer. */
  let wakePoll = (): void => undefined
  let isStopped = false

  async function poll(): Promise<void> {
    polling.signal.addEventListener('abort', () => wakePoll(), { once: true })
    while (!polling.signal.aborted) {
      buffer.add(await receive())
      dispatch()
      await postpone(buffer.takeSurplus(mayReturn), returnSeconds)
      while (buffer.isFull && !polling.signal.aborted) await untilWoken()
      // A queue in this process answers at once as long as it has messages.
      await nextTurn()
    }
  }

  // Not Promise.race with the abort: a long-lived promise leaks memory for each race.
  const untilWoken = (): Promise<void> =>
    new Promise((resolve) => {
      wakePoll = resolve
    })

  /** Starts what is due. */
  function dispatch(): void {
    clearTimeout(windowEnd)
    while (running.size < maximumConcurrency && !isStopped) {
      const batch = buffer.take()
      if (batch === undefined) {
        const ms = buffer.dueInMs()
        if (ms !== undefined) windowEnd = setTimeout(dispatch, ms)
        return
      }
      start(batch)
    }
  }

  function start(batch: Batch): void {
    const done = processBatch(batch.messages).finally(() => {
      running.delete(done)
      buffer.done(batch)
      dispatch()
    })
    running.add(done)
    wakePoll()
  }

  const mayReturn = (message: Message): boolean => receiveCountOf(message) < maxReceiveCount * RETURNED_SHARE

  function renew(): void {
    void postpone(buffer.messages(), () => visibilityTimeoutSeconds)
  }

  function end(): void {
    clearInterval(renewing)
    clearTimeout(windowEnd)
  }

  const polled = poll()
  return {
    async drain() {
      polling.abort()
      await polled
      buffer.closeWindows()
      dispatch()
      while (running.size > 0) await Promise.race(running)
      end()
    },
    async stop() {
      isStopped = true
      polling.abort()
      await polled
      end()
      await postpone(buffer.takeAll(), () => 0)
    },
  }
}

const receiveCountOf = ({ Attributes }: Message): number => Number(Attributes?.ApproximateReceiveCount ?? 1)

const returnSeconds = (message: Message): number =>
  Math.min(MAX_RETURN_SECONDS, FIRST_RETURN_SECONDS * 2 ** (receiveCountOf(message) - 1))

interface Queue {
  readonly queueArn: string
  readonly visibilityTimeoutSeconds: number
  /** Receives after which the queue moves a message to the dead letters; infinite where it does not. */
  readonly maxReceiveCount: number
}

async function readQueue(client: QueueClient, queueUrl: string): Promise<Queue> {
  const { Attributes = {} } = await client.getQueueAttributes({
    QueueUrl: queueUrl,
    AttributeNames: ['QueueArn', 'VisibilityTimeout'],
  })
  const policy = await readRedrivePolicy(client, queueUrl)
  return {
    queueArn: Attributes.QueueArn ?? '',
    visibilityTimeoutSeconds: Number(Attributes.VisibilityTimeout),
    maxReceiveCount: policy?.maxReceiveCount ?? Number.POSITIVE_INFINITY,
  }
}
