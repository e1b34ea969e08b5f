import { GetQueueAttributesCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startTestQueue, type TestQueue } from '../../test/support/test-queue.ts'
import { createQueueClient, type QueueClient, queueUrlOf, readRedrivePolicy } from './index.ts'

describe('createQueueClient', () => {
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  it.each([
    ['https://sqs.eu-west-1.amazonaws.com/123456789012/live', 'eu-west-1'],
    ['https://sqs.cn-north-1.amazonaws.com.cn/123456789012/live', 'cn-north-1'],
    ['https://sqs.us-iso-east-1.c2s.ic.gov/123456789012/live', 'us-iso-east-1'],
    ['https://sqs.eusc-de-east-1.amazonaws.eu/123456789012/live', 'eusc-de-east-1'],
    ['https://queues.example.com/live', 'ap-south-1'],
    ['https://my-sqs.eu-west-1.amazonaws.com/live', 'ap-south-1'],
    ['https://sqs.eu-west-1.amazonaws.com.example.com/live', 'ap-south-1'],
  ])('knows the region of %s', async (url, region) => {
    vi.stubEnv('AWS_REGION', 'ap-south-1')
    const client = await createQueueClient(url)
    expect(await client.config.region()).toBe(region)
    client.destroy()
  })

  it('needs no credentials for a queue on this machine', async () => {
    const client = await createQueueClient('http://127.0.0.1:9324/000000000000/live')
    expect((await client.config.credentials()).accessKeyId).toBe('local')
    client.destroy()
  })
})

describe('a queue', () => {
  let queue: TestQueue
  beforeEach(async () => {
    queue = await startTestQueue('live')
  })
  afterEach(() => queue.stop())

  it('has the URL that its ARN leads to, on the server that was asked', async () => {
    const { client, queueUrl } = queue
    const command = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['QueueArn'] })
    const arn = (await client.send(command)).Attributes?.QueueArn ?? ''
    const found = await queueUrlOf(client, arn, 'http://127.0.0.1:1234/000000000000/other')
    expect(found).toBe('http://127.0.0.1:1234/000000000000/live')
  })

  it.each([
    [undefined, undefined],
    [{}, undefined],
    [{ RedrivePolicy: '' }, undefined],
  ])('of which SQS tells %j has no redrive policy', async (Attributes, policy) => {
    const client = { getQueueAttributes: async () => ({ Attributes }) } as Partial<QueueClient> as QueueClient
    expect(await readRedrivePolicy(client, 'https://sqs/live')).toBe(policy)
  })

  it.each([
    '{"maxReceiveCount":5}',
    '{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:1:dead","maxReceiveCount":null}',
    'no JSON',
  ])(
    'whose redrive policy cannot be read is an error, not a queue without one: %s',
    async (RedrivePolicy) => {
      const Attributes = { RedrivePolicy }
      const client = {
        getQueueAttributes: async () => ({ Attributes }),
      } as Partial<QueueClient> as QueueClient
      await expect(readRedrivePolicy(client, 'https://sqs/live')).rejects.toThrow(
        /^failed to read the redrive policy of queue https:\/\/sqs\/live: /,
      )
    },
  )

  it.each([5, '5'])('may have a redrive policy, its count being %j', async (maxReceiveCount) => {
    const { client, queueUrl } = queue
    expect(await readRedrivePolicy(client, queueUrl)).toBeUndefined()
    const deadLetterTargetArn = 'arn:aws:sqs:us-east-1:000000000000:live'
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount })
    await client.send(new SetQueueAttributesCommand({ QueueUrl: queueUrl, Attributes: { RedrivePolicy } }))
    expect(await readRedrivePolicy(client, queueUrl)).toEqual({ deadLetterTargetArn, maxReceiveCount: 5 })
  })
})
