import type { Message } from '@aws-sdk/client-sqs'
import { sleepUnlessAborted } from '../../shared/kubernetes/index.ts'

/** SQS hands out at most 10 messages a receive. */
const MAX_RECEIVED = 10
/** SQS' longest long poll. */
const LONG_POLL_SECONDS = 20
/** Long polls take whole seconds, so the rest of a window is polled in these steps. */
const SHORT_POLL_INTERVAL_MS = 100

export interface ReceiveRequest {
  readonly maxMessages: number
  readonly waitSeconds: number
}

export interface GatherOptions {
  /** Resolves with what was received, empty after `waitSeconds` without messages, an error or an abort; never rejects. */
  readonly receive: (request: ReceiveRequest) => Promise<readonly Message[]>
  readonly batchSize: number
  readonly batchWindowSeconds: number
  /** Closes the batch at once. */
  readonly signal: AbortSignal
}

/**
 * Waits for a first message and gathers more until the batch is full or its window is over.
 * Resolves with an empty batch after a long poll without messages. A message that comes twice is in the batch once, with
 * its newest receipt handle.
 */
export async function gatherBatch({
  receive,
  batchSize,
  batchWindowSeconds,
  signal,
}: GatherOptions): Promise<readonly Message[]> {
  const maxMessages = (size: number): number => Math.min(MAX_RECEIVED, batchSize - size)
  const batch = new Map<string, Message>()
  const add = (messages: readonly Message[]): void => {
    for (const message of messages) batch.set(message.MessageId ?? '', message)
  }
  add(await receive({ maxMessages: maxMessages(0), waitSeconds: LONG_POLL_SECONDS }))
  const closesAt = performance.now() + batchWindowSeconds * 1000
  while (batch.size > 0 && batch.size < batchSize && !signal.aborted) {
    const restMs = closesAt - performance.now()
    if (restMs <= 0) break
    const waitSeconds = Math.min(LONG_POLL_SECONDS, Math.floor(restMs / 1000))
    const received = await receive({ maxMessages: maxMessages(batch.size), waitSeconds })
    add(received)
    if (received.length === 0 && waitSeconds === 0) {
      await sleepUnlessAborted(Math.min(SHORT_POLL_INTERVAL_MS, restMs), signal)
    }
  }
  return [...batch.values()]
}
