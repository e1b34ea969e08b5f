import type {
  ChangeMessageVisibilityBatchCommandInput,
  ChangeMessageVisibilityBatchResult,
  DeleteMessageBatchCommandInput,
  DeleteMessageBatchResult,
  GetQueueAttributesCommandInput,
  GetQueueAttributesResult,
  GetQueueUrlCommandInput,
  GetQueueUrlResult,
  ListDeadLetterSourceQueuesCommandInput,
  ListDeadLetterSourceQueuesResult,
  ReceiveMessageCommandInput,
  ReceiveMessageResult,
  SendMessageBatchCommandInput,
  SendMessageBatchResult,
  SendMessageCommandInput,
  SendMessageResult,
} from '@aws-sdk/client-sqs'

export interface QueueCallOptions {
  /** Its abort rejects the call. */
  readonly abortSignal?: AbortSignal | undefined
}

type QueueCall<Input, Result> = (input: Input, options?: QueueCallOptions) => Promise<Result>

/** The calls of SQS that Sliceflow makes: of the SDK's client `SQS`, and of the queue in this process. */
export interface QueueClient {
  readonly sendMessage: QueueCall<SendMessageCommandInput, SendMessageResult>
  readonly sendMessageBatch: QueueCall<SendMessageBatchCommandInput, SendMessageBatchResult>
  readonly receiveMessage: QueueCall<ReceiveMessageCommandInput, ReceiveMessageResult>
  readonly deleteMessageBatch: QueueCall<DeleteMessageBatchCommandInput, DeleteMessageBatchResult>
  readonly changeMessageVisibilityBatch: QueueCall<
    ChangeMessageVisibilityBatchCommandInput,
    ChangeMessageVisibilityBatchResult
  >
  readonly getQueueAttributes: QueueCall<GetQueueAttributesCommandInput, GetQueueAttributesResult>
  readonly getQueueUrl: QueueCall<GetQueueUrlCommandInput, GetQueueUrlResult>
  readonly listDeadLetterSourceQueues: QueueCall<
    ListDeadLetterSourceQueuesCommandInput,
    ListDeadLetterSourceQueuesResult
  >
  /** Ends its connections. */
  destroy(): void
}
