import { createHash } from 'node:crypto'
import type { SendMessageBatchRequestEntry as Entry } from '@aws-sdk/client-sqs'
import pLimit from 'p-limit'
import type { Change } from '../changes/index.ts'
import type { Backoff } from '../kubernetes/index.ts'
import { type Log, throttleWarnings } from '../telemetry/index.ts'
import { type BatchOutcome, type BatchRequest, type RejectedItem, requestAll } from './batch-request.ts'
import type { QueueClient } from './client.ts'
import { encodeMessage, type KeyMessage, sendFault } from './message.ts'
import { TRACEPARENT } from './traceparent.ts'

export interface QueueSenderOptions {
  readonly client: QueueClient
  /** A standard queue: FIFO deduplication would drop a change that follows a processed one. */
  readonly queueUrl: string
  readonly logger: Log
  /** SendMessageBatch requests in flight at once over all calls of `send`; default 8, minimum 1. */
  readonly concurrency?: number
  /** Delays between requests for the same message; default 100 ms doubling to 20 s, with full jitter. */
  readonly backoff?: Backoff
  /** Called for each request that the queue refused, in part or as a whole; it is tried again. */
  readonly onProblem?: () => void
  /** Called with the ids that the queue gave to the messages of a request that it took. */
  readonly onAccepted?: (messageIds: readonly string[]) => void
  /** Returns the delay of each message (SQS `DelaySeconds`), 0 to 900; default: that of the queue. */
  readonly delaySeconds?: (message: KeyMessage) => number
}

/** Every message of a call is in exactly one of the three lists. */
export type SendResult = BatchOutcome<KeyMessage>

export interface QueueSender {
  /** URL of the queue, which identifies what it has accepted. */
  readonly queueUrl?: string
  /**
   * Sends messages in batches and retries those that the queue rejected, until `signal` aborts. Never
   * rejects: the caller retains every key that is not in `accepted`. An aborted request may have
   * succeeded, which makes a harmless duplicate.
   */
  send(messages: readonly KeyMessage[], signal?: AbortSignal): Promise<SendResult>
}

export function createQueueSender({
  client,
  queueUrl,
  logger,
  concurrency = 8,
  backoff,
  onProblem,
  onAccepted,
  delaySeconds,
}: QueueSenderOptions): QueueSender {
  const limit = pLimit(concurrency)
  const quietLogger = throttleWarnings(logger)
  // Ten valid messages stay below 1 MB, with facts and as many versions of a cluster set as there may be:
  // the limit of 1 MiB a request needs no counting.
  // Only requests hold a slot, never the delays between them: one batch that is refused does not hold up the
  // others.
  const request: BatchRequest<KeyMessage> = (entries, signal) =>
    limit(async () => {
      signal?.throwIfAborted()
      const Entries = entries.map(({ id, item }) => ({
        Id: id,
        MessageBody: encodeMessage(item),
        MessageGroupId: messageGroupId(item),
        ...traceAttribute(item),
        ...(delaySeconds && { DelaySeconds: delaySeconds(item) }),
      }))
      const answer = await client.sendMessageBatch({ QueueUrl: queueUrl, Entries }, { abortSignal: signal })
      onAccepted?.(answer.Successful?.flatMap(({ MessageId = [] }) => MessageId) ?? [])
      return answer
    })
  return {
    queueUrl,
    async send(messages, signal) {
      const { sendable, refused } = splitSendable(messages)
      const outcome = await requestAll(sendable, request, {
        logger: quietLogger,
        signal,
        onProblem,
        backoff,
      })
      return { ...outcome, rejected: [...refused, ...outcome.rejected] }
    },
  }
}

/** SQS allows 1 to 128 ASCII letters, digits and punctuation marks. */
const VALID_GROUP_ID = /^[\x21-\x7e]{1,128}$/

/**
 * Returns the `MessageGroupId` of a message: its cluster and, of a key that stands for several, the one that
 * changed. On a standard queue it makes the queue fair: a cluster with a large backlog does not delay the
 * others. Names that SQS would refuse (long EKS ARNs, spaces) are hashed.
 */
export function messageGroupId({ cluster, from }: Pick<Change, 'cluster' | 'from'>): string {
  const name = from === undefined ? cluster : `${cluster}/${from}`
  if (VALID_GROUP_ID.test(name)) return name
  return `sha256:${createHash('sha256').update(name).digest('hex')}`
}

function traceAttribute({ traceparents: [traceparent] = [] }: KeyMessage): Pick<Entry, 'MessageAttributes'> {
  if (traceparent === undefined) return {}
  return { MessageAttributes: { [TRACEPARENT]: { DataType: 'String', StringValue: traceparent } } }
}

/** Separates messages that the other side would refuse, and that would only fill the dead letters. */
function splitSendable(messages: readonly KeyMessage[]): {
  sendable: KeyMessage[]
  refused: RejectedItem<KeyMessage>[]
} {
  const sendable: KeyMessage[] = []
  const refused: RejectedItem<KeyMessage>[] = []
  for (const message of messages) {
    const fault = sendFault(message)
    if (fault === undefined) sendable.push(message)
    else refused.push({ item: message, code: 'MalformedMessage', reason: fault.message })
  }
  return { sendable, refused }
}
