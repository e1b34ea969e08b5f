import { SQS } from '@aws-sdk/client-sqs'
import { buildApp } from 'fauxqs'

/** One queue on an SQS server of its own; the client does not try again by itself. */
export interface TestQueue {
  readonly client: SQS
  readonly queueUrl: string
  stop(): Promise<void>
}

export async function startTestQueue(name: string): Promise<TestQueue> {
  const app = buildApp({ logger: false })
  const endpoint = await app.listen({ port: 0, host: '127.0.0.1' })
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const client = new SQS({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 })
  const { QueueUrl: queueUrl = '' } = await client.createQueue({ QueueName: name })
  return {
    client,
    queueUrl,
    stop: async () => {
      client.destroy()
      await app.close()
    },
  }
}
