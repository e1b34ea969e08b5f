import {
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQS,
} from '@aws-sdk/client-sqs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startTestQueue, type TestQueue } from '../../test/support/test-queue.ts'
import { createReceivedMessages } from './received.ts'

const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
const backoff = { baseMs: 1, capMs: 1 }

describe('createReceivedMessages', () => {
  let queue: TestQueue
  let client: SQS
  let queueUrl: string

  beforeEach(async () => {
    queue = await startTestQueue('live')
    ;({ client, queueUrl } = queue)
  })

  afterEach(() => queue.stop())

  async function receive(): Promise<string[]> {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10 }),
    )
    return Messages.map(({ ReceiptHandle = '' }) => ReceiptHandle)
  }

  async function sendAndReceive(count: number): Promise<string[]> {
    const handles: string[] = []
    for (let sent = 0; sent < count; sent += 10) {
      const Entries = Array.from({ length: Math.min(10, count - sent) }, (_, i) => ({
        Id: `${i}`,
        MessageBody: 'x',
      }))
      await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }))
      handles.push(...(await receive()))
    }
    return handles
  }

  async function counts(): Promise<Record<string, string>> {
    const command = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] })
    return (await client.send(command)).Attributes ?? {}
  }

  it('deletes any number of messages', async () => {
    const handles = await sendAndReceive(23)
    await createReceivedMessages({ client, queueUrl, logger }).delete(handles)
    expect(await counts()).toMatchObject({
      ApproximateNumberOfMessages: '0',
      ApproximateNumberOfMessagesNotVisible: '0',
    })
  })

  it('makes messages visible again at the time asked for', async () => {
    const handles = await sendAndReceive(12)
    const changes = handles.map((receiptHandle, index) => ({ receiptHandle, seconds: index < 11 ? 0 : 300 }))
    await createReceivedMessages({ client, queueUrl, logger }).postpone(changes)
    expect(await counts()).toMatchObject({
      ApproximateNumberOfMessages: '11',
      ApproximateNumberOfMessagesNotVisible: '1',
    })
  })

  it('says how many messages could not be postponed and changes the others', async () => {
    const [receiptHandle = ''] = await sendAndReceive(1)
    const changes = [
      { receiptHandle: 'expired', seconds: 1 },
      { receiptHandle, seconds: 0 },
    ]
    await expect(createReceivedMessages({ client, queueUrl, logger }).postpone(changes)).rejects.toThrow(
      /^failed to postpone messages of .*live: 1 of 2: ReceiptHandleIsInvalid$/,
    )
    expect(await receive()).toHaveLength(1)
  })

  it('gives up deleting after the attempts allowed', async () => {
    const received = createReceivedMessages({
      client,
      queueUrl: `${queueUrl}-gone`,
      logger,
      attempts: 2,
      backoff,
    })
    const deleting = received.delete(['handle'])
    await expect(deleting).rejects.toThrow('1 of 1: not accepted in time')
    await expect(deleting).rejects.toMatchObject({ name: 'QueueRequestError', retryable: true })
  })
})
