import type { ReceiveMessageCommandInput } from '@aws-sdk/client-sqs'
import { FAILURE_CLASSES } from '../../../shared/queue/consumer/index.ts'
import { type ReceivedLetter, readDeadLetter, UNFINISHED } from '../../../shared/queue/index.ts'
import type { DeadLetterQueue } from './dead-letter-queues.ts'

/** A letter in one of the boxes. */
export interface QueuedLetter extends ReceivedLetter {
  readonly box: DeadLetterQueue
}

/** Visibility timeout in seconds, in case this process is killed. */
const HIDDEN_SECONDS = 600
/** A long poll asks all of SQS' servers, a short one only some: if it returns nothing, there is nothing. */
const LONG_POLL_SECONDS = 1
/** Most receives in a row without a new letter: repeated ones outlast the visibility timeout. */
const STALE_RECEIVES = 20

export type Scan = ReturnType<typeof scanBox>

/**
 * Reads a whole dead-letter queue. SQS can only receive, not peek: each letter is hidden from other
 * readers until `release`, and its receive count rises, which nothing depends on as a dead-letter queue has
 * no redrive policy.
 */
export function scanBox(box: DeadLetterQueue, waitSeconds = LONG_POLL_SECONDS) {
  const handles = new Map<string, string>()
  const deleted = new Set<string>()

  async function receive(signal: AbortSignal): Promise<readonly QueuedLetter[]> {
    const input: ReceiveMessageCommandInput = {
      QueueUrl: box.url,
      MaxNumberOfMessages: 10,
      VisibilityTimeout: HIDDEN_SECONDS,
      WaitTimeSeconds: waitSeconds,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    }
    const { Messages = [] } = await box.client.receiveMessage(input, { abortSignal: signal })
    return Messages.map((message) => ({ ...readDeadLetter(message), box }))
  }

  /** Hides them, and returns those that were not received before. */
  function note(received: readonly QueuedLetter[]): readonly QueuedLetter[] {
    const left = received.filter(({ id }) => !deleted.has(id))
    const fresh = left.filter(({ id }) => !handles.has(id))
    for (const { id, receiptHandle } of left) handles.set(id, receiptHandle)
    return fresh
  }

  return {
    /** Yields letters that were not received before, up to 10 at once. */
    async *letters(signal: AbortSignal): AsyncGenerator<readonly QueuedLetter[]> {
      for (let stale = 0; !signal.aborted && stale < STALE_RECEIVES; ) {
        const received = await receive(signal)
        if (received.length === 0) return
        const fresh = note(received)
        stale = fresh.length === 0 ? stale + 1 : 0
        if (fresh.length > 0) yield fresh
      }
    },
    /** Deletes letters. Rejects when some could not be; they are still there then. */
    async delete(letters: readonly QueuedLetter[]): Promise<void> {
      if (letters.length === 0) return
      await box.received.delete(letters.map(({ id, receiptHandle }) => handles.get(id) ?? receiptHandle))
      for (const { id } of letters) {
        handles.delete(id)
        deleted.add(id)
      }
    },
    /** Makes every letter visible again that was not deleted. */
    async release(): Promise<void> {
      const changes = [...handles.values()].map((receiptHandle) => ({ receiptHandle, seconds: 0 }))
      handles.clear()
      if (changes.length > 0) await box.received.postpone(changes)
    },
  }
}

/** Every class that a letter can have. */
export const LETTER_CLASSES: readonly string[] = [...FAILURE_CLASSES, UNFINISHED]

export interface LetterFilter {
  /** Default: any, and letters without one. */
  readonly cluster?: string
  /** Default: any, and letters without one. */
  readonly namespace?: string
  /** Default: any. */
  readonly failureClass?: string
}

export const matches =
  ({ cluster, namespace, failureClass }: LetterFilter) =>
  (letter: QueuedLetter): boolean =>
    (cluster === undefined || letter.message?.cluster === cluster) &&
    (namespace === undefined || letter.message?.namespace === namespace) &&
    (failureClass === undefined || letter.failureClass === failureClass)
