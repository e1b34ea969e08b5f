import { ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTestQueue, type TestQueue } from '../../test/support/test-queue.ts'
import { createDeadLetterSender } from './dead-letters.ts'

const letter = {
  body: '{"v":99}',
  errorClass: 'MalformedMessageError',
  reason: 'v must be 1',
  messageId: 'm-1',
  sourceQueueArn: 'arn:aws:sqs:us-east-1:000000000000:live',
}

describe('createDeadLetterSender', () => {
  let queue: TestQueue
  let client: SQSClient
  let queueUrl: string

  beforeEach(async () => {
    queue = await startTestQueue('dead')
    ;({ client, queueUrl } = queue)
  })

  afterEach(() => queue.stop())

  const receive = async () => {
    const command = new ReceiveMessageCommand({ QueueUrl: queueUrl, MessageAttributeNames: ['All'] })
    return (await client.send(command)).Messages?.[0]
  }

  it('keeps the body as it is and says where it came from and why', async () => {
    await createDeadLetterSender({ client, queueUrl }).send(letter)
    const received = await receive()
    expect(received?.Body).toBe('{"v":99}')
    const attributes = Object.entries(received?.MessageAttributes ?? {}).map(([name, { StringValue }]) => [
      name,
      StringValue,
    ])
    expect(Object.fromEntries(attributes)).toEqual({
      class: 'MalformedMessageError',
      reason: 'v must be 1',
      messageId: 'm-1',
      sourceQueueArn: 'arn:aws:sqs:us-east-1:000000000000:live',
    })
  })

  it('makes attributes that SQS takes of any reason', async () => {
    const sender = createDeadLetterSender({ client, queueUrl })
    await sender.send({ ...letter, reason: `a\u0000b\ud800${'x'.repeat(2000)}` })
    expect((await receive())?.MessageAttributes?.reason?.StringValue).toMatch(/^a\ufffdb\ufffdx{508}$/)
    await sender.send({ ...letter, reason: '' })
    expect((await receive())?.MessageAttributes?.reason?.StringValue).toBe('-')
  })

  it('rejects when the queue does not take the letter', async () => {
    await expect(
      createDeadLetterSender({ client, queueUrl: `${queueUrl}-gone` }).send(letter),
    ).rejects.toThrow()
  })
})
