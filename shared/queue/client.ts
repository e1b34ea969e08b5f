import type * as sqs from '@aws-sdk/client-sqs'

export interface QueueCallOptions {
  /** Its abort rejects the call. */
  readonly abortSignal?: AbortSignal | undefined
}

type QueueCall<Input, Result> = (input: Input, options?: QueueCallOptions) => Promise<Result>

/** The calls of SQS that Sliceflow makes: of the SDK's client `SQS`, and of the queue in this process. */
export interface QueueClient {
  readonly sendMessage: QueueCall<sqs.SendMessageCommandInput, sqs.SendMessageResult>
  readonly sendMessageBatch: QueueCall<sqs.SendMessageBatchCommandInput, sqs.SendMessageBatchResult>
  readonly receiveMessage: QueueCall<sqs.ReceiveMessageCommandInput, sqs.ReceiveMessageResult>
  readonly deleteMessageBatch: QueueCall<sqs.DeleteMessageBatchCommandInput, sqs.DeleteMessageBatchResult>
  readonly changeMessageVisibilityBatch: QueueCall<
    sqs.ChangeMessageVisibilityBatchCommandInput,
    sqs.ChangeMessageVisibilityBatchResult
  >
  readonly getQueueAttributes: QueueCall<sqs.GetQueueAttributesCommandInput, sqs.GetQueueAttributesResult>
  readonly getQueueUrl: QueueCall<sqs.GetQueueUrlCommandInput, sqs.GetQueueUrlResult>
  readonly listDeadLetterSourceQueues: QueueCall<
    sqs.ListDeadLetterSourceQueuesCommandInput,
    sqs.ListDeadLetterSourceQueuesResult
  >
  /** Ends its connections. */
  destroy(): void
}
