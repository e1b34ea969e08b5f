import type middy from '@middy/core'
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import type { Log } from '../../telemetry/index.ts'

/**
 * Makes middleware that reports every message as failed when anything throws outside of a key's own work.
 * Throwing would do the same, but would also make Lambda slow down the whole event source mapping.
 */
export function reportBatchFailure(logger: Log): middy.MiddlewareObj<SQSEvent, SQSBatchResponse> {
  return {
    onError: ({ event, error: err }): SQSBatchResponse => {
      logger.error(
        { err, records: event.Records.length },
        'failed to handle a batch: every message goes back to the queue',
      )
      return { batchItemFailures: event.Records.map(({ messageId }) => ({ itemIdentifier: messageId })) }
    },
  }
}
