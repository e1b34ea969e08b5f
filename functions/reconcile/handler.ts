import middy from '@middy/core'
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import pLimit, { type LimitFunction } from 'p-limit'
import type { DeadLetterSender, KeyMessage, Log, ReceivedMessages } from '../../shared/queue/index.ts'
import { isRetryable, postponeSeconds } from './batch-backoff.ts'
import { expireAfter, waitUntilAborted } from './batch-deadline.ts'
import { reportBatchFailure } from './batch-failure.ts'
import { type BatchKey, type MalformedRecord, readBatch } from './batch-keys.ts'
import { runTasks, type Task } from './batch-run.ts'

export interface ReconcileContext {
  /** Aborts when the function's time is nearly over; the key then counts as failed unless it ends at once. */
  readonly signal: AbortSignal
  /** How often the queue has handed out the key's messages, from 1. */
  readonly receiveCount: number
  /** When the key's latest message was sent, in milliseconds since the epoch. */
  readonly sentTimestamp: number
}

/**
 * Brings one Service's slices up to date; called once a batch for each key. A rejection sends the key's messages back
 * to the queue. Its properties are honoured: `retryAfterSeconds` (at least so long) and `retryable` (false: log louder).
 */
export type Reconcile = (
  message: KeyMessage & { readonly messageIds: readonly string[] },
  context: ReconcileContext,
) => Promise<void>

export interface HandlerSettings {
  /** Keys of one cluster that are reconciled at once; default 8, minimum 1. Clusters do not wait for each other. */
  readonly concurrencyPerCluster?: number
  /**
   * Time kept back for the end of an invocation, in milliseconds; default 3,000. Below it no key is started and running
   * ones are aborted; they have half of it to end, and the rest is for sending the failed messages back.
   */
  readonly reserveMs?: number
}

export interface HandlerOptions {
  readonly reconcile: Reconcile
  /** Where bodies go that are not messages: no reconcile will ever understand them. */
  readonly deadLetters: DeadLetterSender
  /** Sets when failed messages come back; of the queue that the function's events come from. */
  readonly visibility: Pick<ReceivedMessages, 'postpone'>
  readonly logger: Log
  readonly settings?: HandlerSettings
}

export type BatchHandler = middy.MiddyfiedHandler<SQSEvent, SQSBatchResponse>

/** Letters are small and rare; a batch of nothing else must not open a connection for each. */
const DEAD_LETTERS_AT_ONCE = 10

interface BatchTask extends Task {
  readonly records: readonly SQSRecord[]
  readonly receiveCount: number
  /** What a log line says of it; never the body. */
  readonly fields: object
}

/**
 * A Lambda handler for batches of keys from SQS. The event source mapping must have `ReportBatchItemFailures`: without
 * it Lambda takes every answer for success and failed keys are lost.
 *
 * 1. Messages of the same key are merged; bodies that are not messages go to the dead letters.
 * 2. Every key is reconciled once, a bounded number of each cluster at once, until the time is nearly over.
 * 3. Every message of a key that failed or was not finished is sent back to the queue with a back-off by its receive
 *    count, and reported as failed. One bad key fails no other, and the handler does not throw for it.
 */
export function createHandler({
  reconcile,
  deadLetters,
  visibility,
  logger,
  settings: { concurrencyPerCluster = 8, reserveMs = 3000 } = {},
}: HandlerOptions): BatchHandler {
  async function handleBatch(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
    const startedAt = performance.now()
    const remainingMs = context.getRemainingTimeInMillis()
    using start = expireAfter(remainingMs - reserveMs)
    using wait = expireAfter(remainingMs - reserveMs / 2)

    // 1.
    const { keys, malformed } = readBatch(event.Records)
    const limitOf = limitsByCluster(concurrencyPerCluster)
    const limitLetters = pLimit(DEAD_LETTERS_AT_ONCE)
    const tasks = [
      ...keys.map((key) => keyTask(key, limitOf(key.message.cluster))),
      ...malformed.map((record) => deadLetterTask(record, limitLetters)),
    ]

    // 2.
    const failures = await runTasks(tasks, { start: start.signal, wait: wait.signal })

    // 3.
    await sendBack(failures, context)
    const failed = new Set(
      [...failures.keys()].flatMap(({ records }) => records.map(({ messageId }) => messageId)),
    )
    logger.info(
      {
        messages: event.Records.length,
        keys: keys.length,
        malformed: malformed.length,
        failed: failed.size,
        durationMs: Math.round(performance.now() - startedAt),
      },
      'handled a batch',
    )
    return { batchItemFailures: [...failed].map((itemIdentifier) => ({ itemIdentifier })) }
  }

  function keyTask(
    { message, records, receiveCount, sentTimestamp }: BatchKey,
    limit: LimitFunction,
  ): BatchTask {
    const messageIds = records.map(({ messageId }) => messageId)
    const { cluster, namespace, service } = message
    return {
      limit,
      records,
      receiveCount,
      fields: { cluster, namespace, service, messageIds },
      run: (signal) => reconcile({ ...message, messageIds }, { signal, receiveCount, sentTimestamp }),
    }
  }

  function deadLetterTask({ record, error }: MalformedRecord, limit: LimitFunction): BatchTask {
    const fields = { messageId: record.messageId, queue: record.eventSourceARN, reason: error.message }
    return {
      limit,
      records: [record],
      receiveCount: Number(record.attributes.ApproximateReceiveCount),
      fields,
      run: async (signal) => {
        const { body, messageId, eventSourceARN: sourceQueueArn } = record
        const letter = { body, errorClass: error.name, reason: error.message, messageId, sourceQueueArn }
        await deadLetters.send(letter, signal)
        logger.error(fields, 'moved a malformed message to the dead letters')
      },
    }
  }

  async function sendBack(failures: ReadonlyMap<BatchTask, unknown>, context: Context): Promise<void> {
    const changes = [...failures].flatMap(([task, err]) => {
      const seconds = postponeSeconds(task.receiveCount, err)
      logFailure(task, err, seconds)
      return task.records.map(({ receiptHandle }) => ({ receiptHandle, seconds }))
    })
    if (changes.length === 0) return
    using expiry = expireAfter(context.getRemainingTimeInMillis() - reserveMs / 4)
    try {
      await waitUntilAborted(visibility.postpone(changes, expiry.signal), expiry.signal)
    } catch (err) {
      logger.warn(
        { err, messages: changes.length },
        'failed messages come back after their visibility timeout only',
      )
    }
  }

  function logFailure({ fields, receiveCount }: BatchTask, err: unknown, retryInSeconds: number): void {
    const errorClass = err instanceof Error ? err.name : typeof err
    const line = { ...fields, err, errorClass, receiveCount, retryInSeconds }
    if (isRetryable(err)) logger.warn(line, 'failed to handle a message; it goes back to the queue')
    else logger.error(line, 'failed to handle a message, and another attempt is not expected to succeed')
  }

  // Of middy's own early timeout nothing is used: its answer could not name the messages that were not finished.
  return middy<SQSEvent, SQSBatchResponse>({ timeoutEarlyInMillis: 0 })
    .use(reportBatchFailure(logger))
    .handler(handleBatch)
}

/** A limit for each cluster of one batch, made when first asked for. */
function limitsByCluster(concurrency: number): (cluster: string) => LimitFunction {
  const limits = new Map<string, LimitFunction>()
  return (cluster) => {
    const known = limits.get(cluster)
    if (known !== undefined) return known
    const limit = pLimit(concurrency)
    limits.set(cluster, limit)
    return limit
  }
}
