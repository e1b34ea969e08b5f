import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Message, ReceiveMessageCommandInput } from '@aws-sdk/client-sqs'
import { type Backoff, backoffDelay, sleepUnlessAborted } from '../../../shared/kubernetes/index.ts'
import {
  createReceivedMessages,
  type QueueClient,
  type ReceivedMessages,
  readRedrivePolicy,
} from '../../../shared/queue/index.ts'
import type { Log } from '../../../shared/telemetry/index.ts'
import { type Batch, MessageBuffer } from './buffer.ts'
import { type Invocation, invokeFunction } from './invoke.ts'

/** Limits of Lambda for event source mappings; the settings keep to its ranges. */
interface MappingLimits {
  /** Messages a batch at most. */
  readonly batchSize: number
  /** Whole seconds from a batch's first message; 0: what one receive brings. */
  readonly batchWindowSeconds: number
  readonly maximumConcurrency: number
  /** Whole seconds that an invocation may take, at most the queue's visibility timeout. */
  readonly functionTimeoutSeconds: number
}

const DEFAULT_LIMITS: MappingLimits = {
  batchSize: 10,
  batchWindowSeconds: 0,
  maximumConcurrency: 5,
  functionTimeoutSeconds: 60,
}

/** Settings that Lambda would refuse; the message names the setting and what is allowed. */
class EventSourceMappingError extends Error {
  override readonly name = 'EventSourceMappingError'
}

export interface BatchReport {
  readonly messages: number
  /** Messages that stay in the queue and come back after their visibility timeout. */
  readonly failed: number
  readonly durationMs: number
}

export interface EventSourceMappingOptions {
  readonly client: QueueClient
  readonly queueUrl: string
  /** A Lambda handler that reports partial batch failures (`ReportBatchItemFailures`). */
  readonly handler: Invocation['handler']
  readonly logger: Log
  /** Whether the queue notices at once that a poll is given up; default: false. */
  readonly isOwnQueue?: boolean
  /** Default: batches of 10 without a window, 5 at once, for 60 s. */
  readonly limits?: Partial<MappingLimits>
  /** Called after every batch, for counters; must not throw. */
  readonly onBatch?: ((report: BatchReport) => void) | undefined
}

/** Maximum messages that wait here: some 3 MB. Others wait in the queue, also those of other clusters. */
const CAPACITY = 2_000
/** Delay in seconds of messages that a cluster has above the capacity; it doubles each time. */
const FIRST_RETURN_SECONDS = 5
const MAX_RETURN_SECONDS = 300
/** Maximum share of its receives that a message may use up by such delays; the others are for failures. */
const RETURNED_SHARE = 0.5
/** Renewals per visibility timeout of waiting messages: an invocation begins with most of it left. */
const RENEWALS = 4
/**
 * Seconds of a long poll: SQS' longest; shorter where a server may go on with the poll of a process that has
 * ended, and hand messages to it. The end waits for such a poll, within the time that `run` has for it.
 */
const POLL_SECONDS = { ofOwnQueue: 20, ofServer: 3 }
/** SQS hands out at most 10 messages a receive. */
const RECEIVE: Omit<ReceiveMessageCommandInput, 'QueueUrl'> = {
  MaxNumberOfMessages: 10,
  MessageSystemAttributeNames: ['All'],
  MessageAttributeNames: ['All'],
}
/** An answer that has not come this long after the poll will not come: the connection is dead. */
const LATE_MS = 10_000
/** Quick to notice that a queue on this machine is back. */
const OUTAGE_BACKOFF: Backoff = { baseMs: 100, capMs: 5000 }
/** Between polls that bring nothing and do not last: some servers know no long polls. */
const SHORT_POLL_BACKOFF: Backoff = { baseMs: 100, capMs: 1000 }
/** A poll that brings nothing lasts at least this share of its time. */
const SHORT_POLL_SHARE = 0.5
/** From this number in a row on, it is no accident of this server. */
const SHORT_POLLS_REPORTED = 5

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
 * two, and may wait up to 20 s at low traffic where there is a window.
 */
export class EventSourceMapping {
  readonly #options: EventSourceMappingOptions
  readonly #limits: MappingLimits
  readonly #queue: Queue
  readonly #received: ReceivedMessages
  readonly #buffer: MessageBuffer
  readonly #polling = new AbortController()
  readonly #running = new Set<Promise<void>>()
  readonly #renewing: NodeJS.Timeout
  readonly #polled: Promise<void>
  #windowEnd: NodeJS.Timeout | undefined
  /** Ends the wait for room in the buffer. */
  #wakePoll = (): void => undefined
  #isStopped = false
  #failures = 0
  /** Polls in a row that brought nothing, and did not last. */
  #shortPolls = 0
  #hasReportedShortPolls = false

  constructor(options: EventSourceMappingOptions, queue: Queue) {
    const limits = { ...DEFAULT_LIMITS, ...options.limits }
    const { batchSize, batchWindowSeconds, maximumConcurrency, functionTimeoutSeconds } = limits
    if (functionTimeoutSeconds > queue.visibilityTimeoutSeconds)
      throw new EventSourceMappingError(
        `functionTimeoutSeconds must be at most the queue’s visibility timeout of ${queue.visibilityTimeoutSeconds} s, not ${functionTimeoutSeconds}`,
      )
    this.#options = options
    this.#limits = limits
    this.#queue = queue
    this.#received = createReceivedMessages(options)
    this.#buffer = new MessageBuffer({
      batchSize,
      batchWindowMs: batchWindowSeconds * 1000,
      maximumConcurrency,
      capacity: Math.max(CAPACITY, batchSize),
    })
    const renew = (): void =>
      void this.#postpone(this.#buffer.messages(), () => queue.visibilityTimeoutSeconds)
    this.#renewing = setInterval(renew, (queue.visibilityTimeoutSeconds * 1000) / RENEWALS)
    this.#polled = this.#poll()
  }

  /**
   * Receives no more, invokes the function with all that it holds, and resolves when every batch is done. A
   * poll that is under way ends first: what a server hands to one that was given up comes back only after its
   * visibility timeout.
   */
  async drain(): Promise<void> {
    this.#polling.abort()
    await this.#polled
    this.#buffer.closeWindows()
    this.#dispatch()
    while (this.#running.size > 0) await Promise.race(this.#running)
    this.#end()
  }

  /** Receives no more, and gives back what waits, also while it drains; running batches go on. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#polling.abort()
    await this.#polled
    this.#end()
    await this.#postpone(this.#buffer.takeAll(), () => 0)
  }

  async #poll(): Promise<void> {
    const { signal } = this.#polling
    const mayReturn = (message: Message): boolean =>
      receiveCountOf(message) < this.#queue.maxReceiveCount * RETURNED_SHARE
    signal.addEventListener('abort', () => this.#wakePoll(), { once: true })
    while (!signal.aborted) {
      this.#buffer.add(await this.#receive())
      this.#dispatch()
      await this.#postpone(this.#buffer.takeSurplus(mayReturn), returnSeconds)
      while (this.#buffer.isFull && !signal.aborted) await this.#untilWoken()
      // A queue in this process answers at once as long as it has messages.
      await nextTurn()
    }
  }

  // Not Promise.race with the abort: a long-lived promise leaks memory for each race.
  #untilWoken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakePoll = resolve
    })
  }

  /** Waits after an error with back-off; a poll that is aborted brings nothing. */
  async #receive(): Promise<readonly Message[]> {
    const { client, queueUrl, logger, isOwnQueue = false } = this.#options
    const { signal } = this.#polling
    const seconds = isOwnQueue ? POLL_SECONDS.ofOwnQueue : POLL_SECONDS.ofServer
    const deadConnection = new AbortController()
    const timer = setTimeout(() => deadConnection.abort(), seconds * 1000 + LATE_MS)
    const begun = performance.now()
    try {
      const abortSignal = AbortSignal.any([deadConnection.signal, ...(isOwnQueue ? [signal] : [])])
      const { Messages = [] } = await client.receiveMessage(
        { QueueUrl: queueUrl, ...RECEIVE, WaitTimeSeconds: seconds },
        { abortSignal },
      )
      if (this.#failures > 0) logger.info({ queueUrl, failures: this.#failures }, 'the queue answers again')
      this.#failures = 0
      const isShort = performance.now() - begun < seconds * 1000 * SHORT_POLL_SHARE
      this.#shortPolls = isShort && Messages.length === 0 ? this.#shortPolls + 1 : 0
      if (this.#shortPolls > 0) await this.#waitAfterShortPoll()
      return Messages
    } catch (err) {
      if (signal.aborted) return []
      logger.warn({ err, queueUrl, failures: ++this.#failures }, 'failed to receive messages: trying again')
      await sleepUnlessAborted(backoffDelay(this.#failures - 1, OUTAGE_BACKOFF), signal)
      return []
    } finally {
      clearTimeout(timer)
    }
  }

  async #waitAfterShortPoll(): Promise<void> {
    const { queueUrl, logger } = this.#options
    if (this.#shortPolls === SHORT_POLLS_REPORTED && !this.#hasReportedShortPolls) {
      this.#hasReportedShortPolls = true
      logger.warn({ queueUrl }, SHORT_POLLS)
    }
    await sleepUnlessAborted(backoffDelay(this.#shortPolls - 1, SHORT_POLL_BACKOFF), this.#polling.signal)
  }

  /** Changes the visibility timeout of messages, in seconds from now; 0 makes them visible. Never fails. */
  async #postpone(messages: readonly Message[], secondsOf: (message: Message) => number): Promise<void> {
    if (messages.length === 0) return
    const changes = messages.map((message) => ({
      receiptHandle: handleOf(message),
      seconds: secondsOf(message),
    }))
    try {
      await this.#received.postpone(changes)
    } catch (err) {
      const { queueUrl, logger } = this.#options
      logger.warn(
        { err, queueUrl },
        'failed to return messages to the queue: they come back after their visibility timeout',
      )
    }
  }

  #dispatch(): void {
    clearTimeout(this.#windowEnd)
    while (this.#running.size < this.#limits.maximumConcurrency && !this.#isStopped) {
      const batch = this.#buffer.take()
      if (batch === undefined) {
        const ms = this.#buffer.dueInMs()
        if (ms !== undefined) this.#windowEnd = setTimeout(() => this.#dispatch(), ms)
        return
      }
      this.#start(batch)
    }
  }

  #start(batch: Batch): void {
    const done = this.#process(batch.messages).finally(() => {
      this.#running.delete(done)
      this.#buffer.done(batch)
      this.#dispatch()
    })
    this.#running.add(done)
    this.#wakePoll()
  }

  /** Invokes the function with a batch, and deletes the messages that it has handled. */
  async #process(batch: readonly Message[]): Promise<void> {
    const { handler, logger, queueUrl, onBatch } = this.#options
    const { functionTimeoutSeconds } = this.#limits
    const { queueArn } = this.#queue
    const startedAt = performance.now()
    const failed = await invokeFunction(batch, { handler, queueArn, functionTimeoutSeconds, logger })
    const durationMs = performance.now() - startedAt
    const succeeded = batch.filter(({ MessageId = '' }) => !failed.has(MessageId))
    try {
      await this.#received.delete(succeeded.map(handleOf))
    } catch (err) {
      logger.warn({ err, queueUrl }, 'failed to delete handled messages: they will be handled again')
    }
    onBatch?.({ messages: batch.length, failed: failed.size, durationMs })
  }

  #end(): void {
    clearInterval(this.#renewing)
    clearTimeout(this.#windowEnd)
  }
}

const SHORT_POLLS =
  'the queue answers polls at once with no messages, though they ask it to wait (WaitTimeSeconds): polling about twice a second; if messages do not arrive, check what stands before the queue'

/**
 * Starts a mapping. @throws EventSourceMappingError where the function may take longer than messages are
 * invisible @throws Error where the queue cannot be reached
 */
export const startEventSourceMapping = async (
  options: EventSourceMappingOptions,
): Promise<EventSourceMapping> =>
  new EventSourceMapping(options, await readQueue(options.client, options.queueUrl))

const handleOf = ({ ReceiptHandle = '' }: Message): string => ReceiptHandle

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
  const visibilityTimeoutSeconds = Number(Attributes.VisibilityTimeout)
  if (!(visibilityTimeoutSeconds >= 0))
    throw new EventSourceMappingError(
      `what answers at ${queueUrl} does not say its VisibilityTimeout: is it the URL of a queue?`,
    )
  const policy = await readRedrivePolicy(client, queueUrl)
  return {
    queueArn: Attributes.QueueArn ?? '',
    visibilityTimeoutSeconds,
    maxReceiveCount: policy?.maxReceiveCount ?? Number.POSITIVE_INFINITY,
  }
}
