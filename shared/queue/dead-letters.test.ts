import { ReceiveMessageCommand, type SQS } from '@aws-sdk/client-sqs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTestQueue, type TestQueue } from '../../test/support/test-queue.ts'
import { createDeadLetterSender } from './dead-letters.ts'

const letter = {
  body: '{"v":99}',
  failureClass: 'MalformedMessage',
  reason: 'v must be 1',
  attempts: 1,
  sentTimestamp: Date.parse('2026-01-02T03:04:05Z'),
  messageId: 'm-1',
  sourceQueueArn: 'arn:aws:sqs:us-east-1:000000000000:live',
}

describe('createDeadLetterSender', () => {
  let queue: TestQueue
  let client: SQS
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

  const receiveAttributes = async () => {
    const attributes = Object.entries((await receive())?.MessageAttributes ?? {})
    return Object.fromEntries(attributes.map(([name, { StringValue }]) => [name, StringValue]))
  }

  it('keeps the body as it is', async () => {
    await createDeadLetterSender({ client, queueUrl }).send(letter)
    expect((await receive())?.Body).toBe('{"v":99}')
  })

  it('says where the message came from and why it is given up', async () => {
    await createDeadLetterSender({ client, queueUrl }).send(letter)
    expect(await receiveAttributes()).toEqual({
      class: 'MalformedMessage',
      reason: 'v must be 1',
      attempts: '1',
      firstSent: '2026-01-02T03:04:05.000Z',
      messageId: 'm-1',
      sourceQueueArn: 'arn:aws:sqs:us-east-1:000000000000:live',
    })
  })

  it('says which key of which cluster it is', async () => {
    const key = { cluster: 'east', namespace: 'shop', service: 'cart' }
    await createDeadLetterSender({ client, queueUrl }).send({ ...letter, key })
    expect(await receiveAttributes()).toMatchObject({ cluster: 'east', key: 'shop/cart' })
  })

  it('makes attributes that SQS takes of any reason', async () => {
    const sender = createDeadLetterSender({ client, queueUrl })
    await sender.send({ ...letter, reason: `a\u0000b\ud800${'x'.repeat(3000)}` })
    expect((await receive())?.MessageAttributes?.reason?.StringValue).toMatch(/^a\ufffdb\ufffdx{1020}$/)
    await sender.send({ ...letter, reason: '' })
    expect((await receive())?.MessageAttributes?.reason?.StringValue).toBe('-')
  })

  it('ends with the caller’s signal', async () => {
    const sending = createDeadLetterSender({ client, queueUrl }).send(letter, AbortSignal.abort())
    await expect(sending).rejects.toMatchObject({ name: 'AbortError' })
    expect(await receive()).toBeUndefined()
  })

  it('rejects when the queue does not take the letter', async () => {
    await expect(
      createDeadLetterSender({ client, queueUrl: `${queueUrl}-gone` }).send(letter),
    ).rejects.toThrow()
  })
})
