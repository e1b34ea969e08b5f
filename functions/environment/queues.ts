import type {
  DeadLetterSender,
  QueueSender,
  QueueSenderOptions,
  ReceivedMessages,
} from '../../shared/queue/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import { once } from '../../shared/values/index.ts'
import type { LaneUrls } from './environment.ts'

/**
 * The queues of a deployment. SQS' client is loaded with the first request: a function that has nothing to
 * send back, which is nearly every invocation, starts without it.
 */
export function openDeployedQueues(logger: Log) {
  const open = once(async () => {
    const access = await import('./queue-access.ts')
    return { ...access, client: access.createClient() }
  })
  return {
    sender(queueUrl: string, options?: Pick<QueueSenderOptions, 'onProblem' | 'delaySeconds'>): QueueSender {
      const sender = once(async () => {
        const { createQueueSender, client } = await open()
        return createQueueSender({ client, queueUrl, logger, ...options })
      })
      return { queueUrl, send: async (messages, signal) => (await sender()).send(messages, signal) }
    },
    received: ({ queue: queueUrl }: LaneUrls): Pick<ReceivedMessages, 'postpone'> => ({
      async postpone(changes, signal) {
        const { createReceivedMessages, client } = await open()
        await createReceivedMessages({ client, queueUrl, logger }).postpone(changes, signal)
      },
    }),
    deadLetters: ({ deadLetters: queueUrl }: LaneUrls): DeadLetterSender => ({
      async send(letter, signal) {
        const { createDeadLetterSender, client } = await open()
        await createDeadLetterSender({ client, queueUrl }).send(letter, signal)
      },
    }),
  }
}
