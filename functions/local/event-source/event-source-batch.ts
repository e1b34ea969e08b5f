import type { Message } from '@aws-sdk/client-sqs'
import type { ReceivedMessages } from '../../../shared/queue/index.ts'
import { type Invocation, invokeFunction } from './event-source-invoke.ts'
import { handleOf } from './event-source-postpone.ts'

export interface BatchReport {
  /** Messages of the batch. */
  readonly messages: number
  /** Messages that stay in the queue and come back after their visibility timeout. */
  readonly failed: number
  /** Time from the invocation to its answer. */
  readonly durationMs: number
}

export interface ProcessBatchOptions extends Invocation {
  readonly received: ReceivedMessages
  readonly queueUrl: string
  /** Called after every batch; must not throw. */
  readonly onBatch?: ((report: BatchReport) => void) | undefined
}

/** Invokes the function with a batch, and deletes the messages that it has handled. */
export function createProcessBatch({
  received,
  queueUrl,
  queueArn,
  handler,
  functionTimeoutSeconds,
  logger,
  onBatch,
}: ProcessBatchOptions): (batch: readonly Message[]) => Promise<void> {
  return async (batch) => {
    const startedAt = performance.now()
    const failed = await invokeFunction(batch, { handler, queueArn, functionTimeoutSeconds, logger })
    const durationMs = performance.now() - startedAt
    const succeeded = batch.filter(({ MessageId = '' }) => !failed.has(MessageId))
    try {
      await received.delete(succeeded.map(handleOf))
    } catch (err) {
      logger.warn({ err, queueUrl }, 'failed to delete handled messages: they will be handled again')
    }
    onBatch?.({ messages: batch.length, failed: failed.size, durationMs })
  }
}
