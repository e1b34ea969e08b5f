import type { ReceiveMessageCommandInput, ReceiveMessageResult } from '@aws-sdk/client-sqs'
import type { QueueCallOptions, QueueClient } from '../../../shared/queue/index.ts'
import type { SqsAction, SqsActions, SqsQueue, SqsStore } from './embedded-store.ts'

/**
 * Milliseconds between checks of a long poll for messages that are visible again; new ones are received at
 * once.
 * The queue's own interval, 20 ms, would cost 1 % of a core for two idle lanes, though messages are hidden
 * for
 * whole seconds.
 */
const HIDDEN_CHECK_MS = 250

/** Calls queues of this process as functions: HTTP costs a multiple. After `destroy` every call rejects. */
export function createEmbeddedClient(store: SqsStore, actions: SqsActions): QueueClient {
  let isDestroyed = false

  async function call<Result>(
    action: SqsAction,
    input: object,
    { abortSignal }: QueueCallOptions = {},
  ): Promise<Result> {
    abortSignal?.throwIfAborted()
    if (isDestroyed) throw new Error('the embedded queue has ended')
    return (await action(input, store, { headers: {} })) as Result
  }

  /** Takes messages only for a caller that still waits: a poll that was given up hides none from others. */
  async function receiveMessage(
    { WaitTimeSeconds = 0, ...input }: ReceiveMessageCommandInput,
    options: QueueCallOptions = {},
  ): Promise<ReceiveMessageResult> {
    const endsAt = performance.now() + WaitTimeSeconds * 1000
    while (true) {
      const answer: ReceiveMessageResult = await call(
        actions.receiveMessage,
        { ...input, WaitTimeSeconds: 0 },
        options,
      )
      const queue = store.getQueue(input.QueueUrl ?? '')
      const restMs = endsAt - performance.now()
      if (answer.Messages !== undefined || restMs <= 0 || queue === undefined) return answer
      await untilMessage(queue, Math.min(restMs, HIDDEN_CHECK_MS), options.abortSignal)
    }
  }

  return {
    receiveMessage,
    sendMessage: (input, options) => call(actions.sendMessage, input, options),
    sendMessageBatch: (input, options) => call(actions.sendMessageBatch, input, options),
    deleteMessageBatch: (input, options) => call(actions.deleteMessageBatch, input, options),
    changeMessageVisibilityBatch: (input, options) =>
      call(actions.changeMessageVisibilityBatch, input, options),
    getQueueAttributes: (input, options) => call(actions.getQueueAttributes, input, options),
    getQueueUrl: (input, options) => call(actions.getQueueUrl, input, options),
    listDeadLetterSourceQueues: async (input, options) => {
      // fauxqs has no such action; another one refuses a queue that is not there.
      await call(actions.getQueueAttributes, { ...input, AttributeNames: ['QueueArn'] }, options)
      const target = store.getQueue(input.QueueUrl ?? '')?.arn
      const isSource = ({ attributes: { RedrivePolicy } }: SqsQueue): boolean =>
        RedrivePolicy !== undefined && JSON.parse(RedrivePolicy).deadLetterTargetArn === target
      return { queueUrls: [...store.allQueues()].filter(isSource).map(({ url }) => url) }
    },
    destroy: () => {
      isDestroyed = true
    },
  }
}

/** Resolves when a message is there, or the time is over, or the signal aborts. */
const untilMessage = (queue: SqsQueue, ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      signal?.removeEventListener('abort', giveUp)
      clearTimeout(timer)
      resolve()
    }
    const giveUp = (): void => {
      queue.pollWaiters = queue.pollWaiters.filter((waiter) => waiter !== own)
      end()
    }
    const timer = setTimeout(giveUp, ms)
    const own = { resolve: end, timer }
    queue.pollWaiters.push(own)
    signal?.addEventListener('abort', giveUp, { once: true })
  })
