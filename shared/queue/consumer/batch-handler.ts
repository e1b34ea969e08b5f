import middy from '@middy/core'
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import pLimit, { type LimitFunction } from 'p-limit'
import { type KeyText, keyFields, keyText } from '../../changes/index.ts'
import type { Log } from '../../telemetry/index.ts'
import {
  type DeadLetter,
  type KeyMessage,
  MalformedMessageError,
  mergeMessages,
  readMessage,
  traceparentOf,
  withoutNewAddresses,
} from '../index.ts'
import { DeadlineError, expireAfter, waitUntilAborted } from './deadline.ts'
import { Redelivery, type RedeliveryOptions } from './failures/redelivery-or-dead-letter.ts'
import {
  type BatchTask,
  createSettlement,
  DEAD_LETTERS_AT_ONCE,
  receiveCountOf,
  type SettlementOptions,
  sentTimestampOf,
} from './settle-failed-keys.ts'

export interface ReconcileContext {
  /** Aborts when the function's time is nearly over; the key then counts as failed unless it ends at once. */
  readonly signal: AbortSignal
  /** Number of times that the queue has handed out the key's messages, from 1. */
  readonly receiveCount: number
  /** Time at which the key's latest message was sent, in milliseconds since the epoch. */
  readonly sentTimestamp: number
}

/**
 * Brings one Service's slices up to date; called once a batch for each key. A rejection sends the key's
 * messages back to the queue, or to the dead letters, as `classify` understands it.
 */
export type Reconcile = (
  message: KeyMessage & { readonly messageIds: readonly string[] },
  context: ReconcileContext,
) => Promise<void>

export interface HandlerSettings extends Pick<RedeliveryOptions, 'maxReceiveCount' | 'isSentAgain'> {
  /** Maximum number of keys of a cluster that are reconciled concurrently; default 8, minimum 1. */
  readonly concurrencyPerCluster?: number
  /**
   * Only processes of the same user can send to the queue, so that addresses are taken from its messages.
   * Default: false, and new endpoints are read from the API server.
   */
  readonly isOwnQueue?: boolean
}

export interface HandlerOptions extends Omit<SettlementOptions, 'redelivery'> {
  readonly reconcile: Reconcile
  readonly settings?: HandlerSettings
}

/**
 * Milliseconds reserved for the end of an invocation; at most a quarter of the time limit. Then no key is
 * started and running ones are aborted. Half of the time is for them to end, the other half to write dead
 * letters and to send keys back, though the queue has to be asked twice.
 */
const RESERVE_MS = 3_000

export type BatchHandler = middy.MiddyfiedHandler<SQSEvent, SQSBatchResponse>

/**
 * Creates a Lambda handler for batches of keys from SQS. The event source mapping must have
 * `ReportBatchItemFailures`: without it Lambda takes every answer for success and failed keys are lost.
 *
 * 1. Messages of the same key are merged; bodies that are not messages go to the dead letters.
 * 2. Every key is reconciled once, a bounded number of each cluster at once, until the time is nearly over.
 * 3. A key that failed or was not finished goes back to the queue with a back-off by its receive count, and
 *    is reported as failed, until it is given up for the dead letters. One bad key fails no other, and the
 *    handler does not throw for it.
 */
export function createHandler(options: HandlerOptions): BatchHandler {
  const { reconcile, deadLetters, logger, onDeadLetter, settings = {} } = options
  const { concurrencyPerCluster = 8, maxReceiveCount, isSentAgain, isOwnQueue = false } = settings
  const redelivery = new Redelivery<KeyText>({ maxReceiveCount, isSentAgain })
  const settle = createSettlement({ ...options, redelivery })

  async function handleBatch(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
    const startedAt = performance.now()
    const remainingMs = context.getRemainingTimeInMillis()
    const reserveMs = Math.min(RESERVE_MS, remainingMs / 4)
    using start = expireAfter(remainingMs - reserveMs)
    using wait = expireAfter(remainingMs - reserveMs / 2)

    // 1.
    const { keys, malformed } = readBatch(event.Records, { isOwnQueue })
    const keysOfClusters = [...Map.groupBy(keys, ({ message }) => message.cluster).values()]
    const limitDeadLetters = pLimit(DEAD_LETTERS_AT_ONCE)
    const tasks = [
      ...keysOfClusters.flatMap((some) => {
        const limit = pLimit(concurrencyPerCluster)
        return some.map((key) => keyTask(key, limit))
      }),
      ...malformed.map((record) => malformedTask(record, limitDeadLetters)),
    ]

    // 2.
    const failures = await runTasks(tasks, start.signal, wait.signal)

    // 3.
    const leftMs = context.getRemainingTimeInMillis()
    const unhandled = await settle(failures, {
      deadLettersMs: leftMs - (reserveMs * 3) / 8,
      postponementsMs: leftMs - reserveMs / 4,
    })
    logger.info(
      {
        messages: event.Records.length,
        keys: keys.length,
        malformed: malformed.length,
        failed: unhandled.length,
        durationMs: Math.round(performance.now() - startedAt),
      },
      'handled a batch',
    )
    return { batchItemFailures: unhandled.map(({ messageId }) => ({ itemIdentifier: messageId })) }
  }

  function keyTask(
    { message, records, receiveCount, sentTimestamp }: BatchKey,
    limit: LimitFunction,
  ): BatchTask {
    const messageIds = records.map(({ messageId }) => messageId)
    return {
      limit,
      records,
      message,
      fields: { ...keyFields(message), messageIds },
      run: async (signal) => {
        await reconcile({ ...message, messageIds }, { signal, receiveCount, sentTimestamp })
        redelivery.succeeded(keyText(message))
      },
    }
  }

  function malformedTask(malformed: MalformedRecord, limit: LimitFunction): BatchTask {
    const letter = malformedLetter(malformed)
    const { messageId, sourceQueueArn, reason } = letter
    const fields = { messageId, queue: sourceQueueArn, reason }
    return {
      limit,
      records: [malformed.record],
      fields,
      run: async (signal) => {
        throwIfNewer(malformed, maxReceiveCount)
        await deadLetters.send(letter, signal)
        logger.error(fields, 'moved a malformed message to the dead-letter queue')
        onDeadLetter?.(letter)
      },
    }
  }

  // Of middy's own early timeout nothing is used: its answer could not name the messages that were not
  // finished.
  return middy<SQSEvent, SQSBatchResponse>({ timeoutEarlyInMillis: 0 })
    .use(reportBatchFailure(logger))
    .handler(handleBatch)
}

/**
 * Makes middleware that reports every message as failed when anything throws outside of a key's own work.
 * Throwing would do the same, but would also make Lambda slow down the whole event source mapping.
 */
function reportBatchFailure(logger: Log): middy.MiddlewareObj<SQSEvent, SQSBatchResponse> {
  return {
    onError: ({ event, error: err }): SQSBatchResponse => {
      const records = event.Records.length
      logger.error({ err, records }, 'failed to handle a batch: every message goes back to the queue')
      return { batchItemFailures: event.Records.map(({ messageId }) => ({ itemIdentifier: messageId })) }
    },
  }
}

/** One key of a batch, with every message that asks for it. */
interface BatchKey {
  /** Stands for all of the messages; see {@link mergeMessages}. */
  readonly message: KeyMessage
  readonly records: readonly SQSRecord[]
  /** The highest receive count of its messages, from 1. */
  readonly receiveCount: number
  /** Time, by this process's clock, at which the latest message was sent, or later; in milliseconds. */
  readonly sentTimestamp: number
}

/** A message that {@link readMessage} refused. */
interface MalformedRecord {
  readonly record: SQSRecord
  readonly error: MalformedMessageError
}

interface BatchContents {
  readonly keys: readonly BatchKey[]
  readonly malformed: readonly MalformedRecord[]
}

interface ReadBatchOptions {
  /** In milliseconds since the epoch, by the clock that also times syncs; default: the machine's. */
  readonly now?: number
  /** Only processes of the same user can send to the queue. Default: false. */
  readonly isOwnQueue?: boolean | undefined
}

/** Reads a batch. Several messages of one key are merged, as a key only requests a sync. */
export function readBatch(
  records: readonly SQSRecord[],
  { now = Date.now(), isOwnQueue = false }: ReadBatchOptions = {},
): BatchContents {
  const aheadMs = clockAheadMs(records, now)
  const malformed: MalformedRecord[] = []
  const byKey = new Map<string, BatchKey>()
  for (const record of records) {
    const parsed = parseRecord(record)
    if (parsed instanceof MalformedMessageError) {
      malformed.push({ record, error: parsed })
      continue
    }
    const message = isOwnQueue ? parsed : withoutNewAddresses(parsed)
    const key = keyText(message)
    const known = byKey.get(key)
    const added = {
      message,
      records: [record],
      receiveCount: receiveCountOf(record),
      sentTimestamp: sentTimestampOf(record) + aheadMs,
    }
    byKey.set(key, known === undefined ? added : mergeKeys(known, added))
  }
  return { keys: [...byKey.values()], malformed }
}

/**
 * Computes how far our clock is ahead of the queue's, at most: the queue's own clock says when it handed out
 * the newest message, and that was before now. Taken at face value, a message sent now would seem to be as
 * old as our clock is ahead.
 */
function clockAheadMs(records: readonly SQSRecord[], now: number): number {
  const received = records.map(({ attributes }) => Number(attributes.ApproximateFirstReceiveTimestamp))
  return now - Math.max(...received)
}

function parseRecord(record: SQSRecord): KeyMessage | MalformedMessageError {
  const message = readMessage(record.body)
  const traceparent = traceparentOf(record)
  if (message instanceof MalformedMessageError || traceparent === undefined) return message
  return { ...message, traceparents: [traceparent] }
}

function mergeKeys(a: BatchKey, b: BatchKey): BatchKey {
  const [earlier, later] = a.sentTimestamp <= b.sentTimestamp ? [a, b] : [b, a]
  return {
    message: mergeMessages(earlier.message, later.message),
    records: [...a.records, ...b.records],
    receiveCount: Math.max(a.receiveCount, b.receiveCount),
    sentTimestamp: later.sentTimestamp,
  }
}

const malformedLetter = ({ record, error }: MalformedRecord): DeadLetter => ({
  body: record.body,
  failureClass: 'MalformedMessage',
  reason: error.message,
  attempts: receiveCountOf(record),
  sentTimestamp: sentTimestampOf(record),
  messageId: record.messageId,
  sourceQueueArn: record.eventSourceARN,
})

/** Sends a message of a later version back: a function of that version may come before its last receive. */
function throwIfNewer({ record, error }: MalformedRecord, maxReceiveCount = Number.POSITIVE_INFINITY): void {
  if (error.retryable && receiveCountOf(record) < maxReceiveCount) throw error
}

/**
 * Runs tasks until all have settled or the time is over. Returns what failed and why: a task that has neither
 * succeeded nor failed by then is a failure with a {@link DeadlineError}.
 * @param start from its abort no task is started; running ones get it
 * @param wait from its abort nothing is waited for
 */
async function runTasks(
  tasks: readonly BatchTask[],
  start: AbortSignal,
  wait: AbortSignal,
): Promise<ReadonlyMap<BatchTask, unknown>> {
  const failures = new Map<BatchTask, unknown>()
  const unfinished = new Map<BatchTask, 'started' | 'finished'>(tasks.map((task) => [task, 'started']))
  const settled = tasks.map((task) =>
    task.limit(async () => {
      if (start.aborted) return
      unfinished.set(task, 'finished')
      try {
        await task.run(start)
      } catch (err) {
        failures.set(task, err)
      }
      unfinished.delete(task)
    }),
  )
  await waitUntilAborted(Promise.all(settled), wait)
  // A copy: tasks that settle later change nothing of what was reported.
  const reported = new Map(failures)
  for (const [task, missing] of unfinished)
    reported.set(task, new DeadlineError(`not ${missing} before the time of this invocation was over`))
  return reported
}
