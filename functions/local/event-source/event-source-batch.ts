import type { Message } from '@aws-sdk/client-sqs'
import type { ReceivedMessages } from '../../../shared/queue/index.ts'
import { invokeFunction } from './event-source-invoke.ts'
import type { EventSourceMappingOptions } from './event-source-mapping.ts'
import { handleOf } from './event-source-postpone.ts'

export interface ProcessBatchOptions
  extends Pick<EventSourceMappingOptions, 'queueUrl' | 'handler' | 'logger' | 'onBatch'> {
  readonly received: ReceivedMessages
  readonly queueArn: string
  readonly functionTimeoutSeconds: number
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
