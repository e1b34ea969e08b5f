import { once } from 'node:events'
import { connect } from 'node:net'
import type { Message, ReceiveMessageCommandInput } from '@aws-sdk/client-sqs'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createQueueClient, LANES, type QueueClient, queueUrlOf } from '../../../shared/queue/index.ts'
import { type EmbeddedQueue, startEmbeddedQueue } from './embedded-queue.ts'

let queue: EmbeddedQueue

beforeEach(async () => {
  queue = await startEmbeddedQueue({ visibilityTimeoutSeconds: 30, maxReceiveCount: 2 })
})

afterEach(() => queue.stop())

describe.each([
  ['in this process', async ({ client }: EmbeddedQueue) => client],
  ['over HTTP', ({ lanes }: EmbeddedQueue) => createQueueClient(lanes.live.url)],
])('the embedded queue, called %s,', (_, open) => {
  let client: QueueClient
  let QueueUrl: string

  beforeEach(async () => {
    client = await open(queue)
    QueueUrl = queue.lanes.live.url
  })

  afterEach(() => client.destroy())

  const send = (MessageBody: string) => client.sendMessage({ QueueUrl, MessageBody })

  async function receive(
    input: Partial<ReceiveMessageCommandInput> = {},
    abortSignal?: AbortSignal,
  ): Promise<Message[]> {
    const attributes = { MessageSystemAttributeNames: ['All' as const], MessageAttributeNames: ['All'] }
    const whole = { QueueUrl, MaxNumberOfMessages: 10, ...attributes, ...input }
    return (await client.receiveMessage(whole, { abortSignal })).Messages ?? []
  }

  const changeVisibility = (ReceiptHandle: string | undefined, VisibilityTimeout: number) =>
    client.changeMessageVisibilityBatch({
      QueueUrl,
      Entries: [{ Id: '0', ReceiptHandle, VisibilityTimeout }],
    })

  it('hides a message once it was received, until its timeout is over, and counts its receives', async () => {
    const before = Date.now()
    const MessageAttributes = { class: { DataType: 'String', StringValue: 'Forbidden' } }
    await client.sendMessage({ QueueUrl, MessageBody: 'x', MessageAttributes })
    const [first] = await receive({ VisibilityTimeout: 1 })
    expect(first).toMatchObject({
      Body: 'x',
      MessageAttributes,
      Attributes: { ApproximateReceiveCount: '1' },
    })
    const { SentTimestamp } = first?.Attributes ?? {}
    expect(Number(SentTimestamp)).toBeGreaterThanOrEqual(before)
    expect(await receive()).toEqual([])
    const [again] = await receive({ WaitTimeSeconds: 5 })
    const Attributes = { SentTimestamp, ApproximateReceiveCount: '2' }
    expect(again).toMatchObject({ MessageId: first?.MessageId, Body: 'x', Attributes })
  })

  it('moves a message to the dead letters that was received too often', async () => {
    await send('x')
    for (let count = 0; count < 2; count++) expect(await receive({ VisibilityTimeout: 0 })).toHaveLength(1)
    expect(await receive()).toEqual([])
    expect(await receive({ QueueUrl: queue.lanes.live.deadLetterUrl })).toMatchObject([{ Body: 'x' }])
  })

  it('gives a new message to a long poll at once', async () => {
    const polled = receive({ WaitTimeSeconds: 20 })
    // Answered after the poll has reached the queue.
    await receive()
    const sentAt = performance.now()
    await send('x')
    expect(await polled).toMatchObject([{ Body: 'x' }])
    expect(performance.now() - sentAt).toBeLessThan(1000)
  })

  it('gives a message to a long poll that is made visible meanwhile', async () => {
    await send('x')
    const [message] = await receive()
    const polled = receive({ WaitTimeSeconds: 20 })
    await changeVisibility(message?.ReceiptHandle, 1)
    expect(await polled).toMatchObject([{ Body: 'x' }])
  })

  it('waits no longer than it was asked to', async () => {
    const startedAt = performance.now()
    expect(await receive({ WaitTimeSeconds: 1 })).toEqual([])
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(990)
  })

  it('gives out 10 messages at most, and none again that was deleted', async () => {
    const bodies = Array.from({ length: 12 }, (_, index) => `message ${index}`)
    for (const body of bodies) await send(body)
    const ten = await receive()
    const two = await receive()
    expect([...ten, ...two].map(({ Body }) => Body)).toEqual(bodies)
    expect(ten).toHaveLength(10)
    const Entries = two.map(({ ReceiptHandle }, index) => ({ Id: `${index}`, ReceiptHandle }))
    await client.deleteMessageBatch({ QueueUrl, Entries })
    const { Attributes } = await client.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] })
    expect(Attributes).toMatchObject({ ApproximateNumberOfMessagesNotVisible: '10' })
  })

  it('takes 10 messages a request at most', async () => {
    const Entries = Array.from({ length: 11 }, (_, index) => ({ Id: `${index}`, MessageBody: 'x' }))
    await expect(client.sendMessageBatch({ QueueUrl, Entries })).rejects.toThrow('entries')
    await client.sendMessageBatch({ QueueUrl, Entries: Entries.slice(1) })
    expect(await receive()).toHaveLength(10)
  })

  it('names the rejected messages of a batch', async () => {
    const Entries = ['good', 'bad \u0001'].map((MessageBody, index) => ({ Id: `${index}`, MessageBody }))
    const { Failed, Successful } = await client.sendMessageBatch({ QueueUrl, Entries })
    expect(Failed).toMatchObject([{ Id: '1', SenderFault: true, Code: 'InvalidMessageContents' }])
    expect(Successful).toMatchObject([{ Id: '0' }])
  })

  it('finds a queue by its name, and refuses calls for one that it has not', async () => {
    const { QueueUrl: found = '' } = await client.getQueueUrl({ QueueName: 'sliceflow-live' })
    expect(new URL(found).pathname).toBe(new URL(QueueUrl).pathname)
    await expect(client.receiveMessage({ QueueUrl: `${QueueUrl}-gone` })).rejects.toThrow('does not exist')
  })

  it('loses no message to a long poll that its client has given up', async () => {
    const abort = new AbortController()
    const polled = receive({ WaitTimeSeconds: 20 }, abort.signal)
    // Answered after the poll has reached the queue.
    await receive()
    abort.abort()
    await expect(polled).rejects.toThrow()
    await send('x')
    expect(await receive({ WaitTimeSeconds: 5 })).toMatchObject([{ Body: 'x' }])
  })

  it('ends long polls when it is stopped, and takes no more calls', async () => {
    const polled = receive({ WaitTimeSeconds: 20 }).then(
      () => 'ended',
      () => 'ended',
    )
    await queue.stop()
    expect(await polled).toBe('ended')
    await expect(receive()).rejects.toThrow()
  })
})

describe('startEmbeddedQueue', () => {
  it.each(LANES)('gives the %s lane a queue and dead letters', async (lane) => {
    const { url, deadLetterUrl } = queue.lanes[lane]
    const attributesOf = async (QueueUrl: string) =>
      (await queue.client.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] })).Attributes ?? {}
    const deadLetters = await attributesOf(deadLetterUrl)
    expect(deadLetters).toMatchObject({ MessageRetentionPeriod: '1209600' })
    const { RedrivePolicy = '', VisibilityTimeout } = await attributesOf(url)
    expect(VisibilityTimeout).toBe('30')
    expect(JSON.parse(RedrivePolicy)).toEqual({
      deadLetterTargetArn: deadLetters.QueueArn,
      maxReceiveCount: 2,
    })
  })

  it('keeps the lanes apart', async () => {
    const { client, lanes } = queue
    await client.sendMessage({ QueueUrl: lanes.sweep.url, MessageBody: 'x' })
    expect((await client.receiveMessage({ QueueUrl: lanes.live.url })).Messages).toBeUndefined()
    expect((await client.receiveMessage({ QueueUrl: lanes.sweep.url })).Messages).toHaveLength(1)
  })

  it('has the same messages in this process and over HTTP', async () => {
    const QueueUrl = queue.lanes.live.url
    const overHttp = await createQueueClient(QueueUrl)
    const polledHere = queue.client.receiveMessage({ QueueUrl, WaitTimeSeconds: 20 })
    await overHttp.sendMessage({ QueueUrl, MessageBody: 'from outside' })
    expect((await polledHere).Messages).toMatchObject([{ Body: 'from outside' }])
    const polledThere = overHttp.receiveMessage({ QueueUrl, WaitTimeSeconds: 20 })
    await queue.client.sendMessage({ QueueUrl, MessageBody: 'from inside' })
    expect((await polledThere).Messages).toMatchObject([{ Body: 'from inside' }])
    overHttp.destroy()
  })

  it('is found whatever region the environment of an operator names', async () => {
    vi.stubEnv('AWS_REGION', 'eu-west-1')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { url } = queue.lanes.live
    const client = await createQueueClient(url)
    onTestFinished(() => client.destroy())
    const arn = `arn:aws:sqs:us-east-1:000000000000:${url.slice(url.lastIndexOf('/') + 1)}`
    expect(await queueUrlOf(client, arn, url)).toBe(url)
  })

  it('listens on 127.0.0.1 only', async () => {
    const { hostname, port } = new URL(queue.endpoint)
    expect(hostname).toBe('127.0.0.1')
    // Every address of 127.0.0.0/8 reaches a server that listens on 0.0.0.0.
    const socket = connect({ host: '127.0.0.2', port: Number(port), timeout: 1000 })
    socket.once('timeout', () => socket.destroy(new Error('no answer')))
    await expect(once(socket, 'connect')).rejects.toThrow()
    socket.destroy()
  })

  it('refuses a visibility timeout that SQS does not have', async () => {
    await expect(startEmbeddedQueue({ visibilityTimeoutSeconds: 43_201 })).rejects.toThrow(
      'VisibilityTimeout',
    )
  })
})
