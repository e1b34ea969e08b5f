import pLimit from 'p-limit'
import type { Backoff } from '../kubernetes/index.ts'
import type { Log } from '../telemetry/index.ts'
import { type BatchOutcome, requestAll } from './batch-request.ts'
import type { QueueClient } from './client.ts'
import { QueueRequestError } from './errors.ts'

/** Time at which a received message may be received again. */
export interface VisibilityChange {
  readonly receiptHandle: string
  /** Delay from now, in whole seconds from 0 to 43,200. */
  readonly seconds: number
}

/** Operations on messages that were received; handles are receipt handles. */
export interface ReceivedMessages {
  /** Takes messages off the queue. Rejects with {@link QueueRequestError} when some could not be. */
  delete(handles: readonly string[], signal?: AbortSignal): Promise<void>
  /**
   * Sets when messages may be received again. Rejects with {@link QueueRequestError} when some could not be
   * changed.
   */
  postpone(changes: readonly VisibilityChange[], signal?: AbortSignal): Promise<void>
}

export interface ReceivedMessagesOptions {
  readonly client: QueueClient
  readonly queueUrl: string
  readonly logger: Log
  /**
   * Requests for the same message before giving up; default 5. Giving up is harmless: the message comes once
   * more.
   */
  readonly attempts?: number
  readonly backoff?: Backoff
}

/** Requests in flight at once: 10,000 messages are 1,000 requests, and SQS throttles bursts. */
const CONCURRENCY = 8

export function createReceivedMessages({
  client,
  queueUrl,
  logger,
  attempts = 5,
  backoff,
}: ReceivedMessagesOptions): ReceivedMessages {
  const limit = pLimit(CONCURRENCY)
  const options = { logger, attempts, backoff }
  return {
    async delete(handles, signal) {
      const outcome = await requestAll(
        handles,
        (entries, abortSignal) =>
          limit(async () => {
            const Entries = entries.map(({ id, item }) => ({ Id: id, ReceiptHandle: item }))
            const input = { QueueUrl: queueUrl, Entries }
            return (await client.deleteMessageBatch(input, { abortSignal })).Failed ?? []
          }),
        { ...options, signal },
      )
      assertComplete(outcome, `delete messages of ${queueUrl}`)
    },
    async postpone(changes, signal) {
      const outcome = await requestAll(
        changes,
        (entries, abortSignal) =>
          limit(async () => {
            const Entries = entries.map(({ id, item }) => ({
              Id: id,
              ReceiptHandle: item.receiptHandle,
              VisibilityTimeout: item.seconds,
            }))
            const input = { QueueUrl: queueUrl, Entries }
            return (await client.changeMessageVisibilityBatch(input, { abortSignal })).Failed ?? []
          }),
        { ...options, signal },
      )
      assertComplete(outcome, `postpone messages of ${queueUrl}`)
    },
  }
}

function assertComplete({ accepted, rejected, unsent }: BatchOutcome<unknown>, what: string): void {
  const left = rejected.length + unsent.length
  if (left === 0) return
  const codes = new Set(rejected.map(({ code }) => code))
  const reason = codes.size > 0 ? [...codes].join(', ') : 'not accepted in time'
  throw new QueueRequestError(`failed to ${what}: ${left} of ${left + accepted.length}: ${reason}`)
}
