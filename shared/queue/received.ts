import pLimit from 'p-limit'
import type { Backoff } from '../kubernetes/index.ts'
import type { Log } from '../telemetry/index.ts'
import {
  type BatchAnswer,
  type BatchEntry,
  type BatchOutcome,
  type BatchRequest,
  requestAll,
} from './batch-request.ts'
import type { QueueCallOptions, QueueClient } from './client.ts'
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
  /** Sets when messages may be received again. Rejects with {@link QueueRequestError} if some failed. */
  postpone(changes: readonly VisibilityChange[], signal?: AbortSignal): Promise<void>
}

interface ReceivedMessagesOptions {
  readonly client: QueueClient
  readonly queueUrl: string
  readonly logger: Log
  /** Requests for a message before giving up, after which it comes once more; default 5. */
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

  async function change<T>(
    verb: string,
    items: readonly T[],
    signal: AbortSignal | undefined,
    call: (entries: readonly BatchEntry<T>[], options: QueueCallOptions) => Promise<BatchAnswer>,
  ): Promise<void> {
    const request: BatchRequest<T> = (entries, abortSignal) => limit(() => call(entries, { abortSignal }))
    const outcome = await requestAll(items, request, { logger, attempts, backoff, signal })
    assertComplete(outcome, `${verb} messages of ${queueUrl}`)
  }

  return {
    delete: (handles, signal) =>
      change('delete', handles, signal, (entries, options) => {
        const Entries = entries.map(({ id, item }) => ({ Id: id, ReceiptHandle: item }))
        return client.deleteMessageBatch({ QueueUrl: queueUrl, Entries }, options)
      }),
    postpone: (changes, signal) =>
      change('postpone', changes, signal, (entries, options) => {
        const Entries = entries.map(({ id, item: { receiptHandle, seconds } }) => ({
          ...{ Id: id, ReceiptHandle: receiptHandle, VisibilityTimeout: seconds },
        }))
        return client.changeMessageVisibilityBatch({ QueueUrl: queueUrl, Entries }, options)
      }),
  }
}

function assertComplete({ accepted, rejected, unsent }: BatchOutcome<unknown>, what: string): void {
  const left = rejected.length + unsent.length
  if (left === 0) return
  const codes = new Set(rejected.map(({ code }) => code))
  const reason = codes.size > 0 ? [...codes].join(', ') : 'not accepted in time'
  throw new QueueRequestError(`failed to ${what}: ${left} of ${left + accepted.length}: ${reason}`)
}
