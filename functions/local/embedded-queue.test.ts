import { once } from 'node:events'
import { connect } from 'node:net'
import {
  GetQueueAttributesCommand,
  type QueueAttributeName,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LANES } from '../../shared/queue/index.ts'
import { type EmbeddedQueue, startEmbeddedQueue } from './embedded-queue.ts'

describe('startEmbeddedQueue', () => {
  let queue: EmbeddedQueue

  beforeEach(async () => {
    queue = await startEmbeddedQueue({ visibilityTimeoutSeconds: 30, maxReceiveCount: 7 })
  })

  afterEach(async () => {
    await queue.stop()
  })

  async function attributesOf(QueueUrl: string): Promise<Partial<Record<QueueAttributeName, string>>> {
    const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] })
    return (await queue.client.send(command)).Attributes ?? {}
  }

  const receive = async (
    QueueUrl: string,
    options: { WaitTimeSeconds?: number; abort?: AbortSignal } = {},
  ) => {
    const { abort, ...rest } = options
    const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, ...rest })
    return (await queue.client.send(command, abort && { abortSignal: abort })).Messages ?? []
  }

  it.each(LANES)('gives the %s lane a queue and dead letters', async (lane) => {
    const { url, deadLetterUrl } = queue.lanes[lane]
    const deadLetters = await attributesOf(deadLetterUrl)
    expect(deadLetters).toMatchObject({ MessageRetentionPeriod: '1209600' })
    const { RedrivePolicy = '', VisibilityTimeout } = await attributesOf(url)
    expect(VisibilityTimeout).toBe('30')
    expect(JSON.parse(RedrivePolicy)).toEqual({
      deadLetterTargetArn: deadLetters.QueueArn,
      maxReceiveCount: 7,
    })
  })

  it('keeps the lanes apart', async () => {
    await queue.client.send(new SendMessageCommand({ QueueUrl: queue.lanes.sweep.url, MessageBody: 'x' }))
    expect(await receive(queue.lanes.live.url)).toEqual([])
    expect(await receive(queue.lanes.sweep.url)).toHaveLength(1)
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

  it('ends long polls when it is stopped', async () => {
    const polled = receive(queue.lanes.live.url, { WaitTimeSeconds: 20 }).then(
      () => 'ended',
      () => 'ended',
    )
    await queue.stop()
    expect(await polled).toBe('ended')
  })

  it('loses no message to a long poll that its client has given up', async () => {
    const QueueUrl = queue.lanes.live.url
    const abort = new AbortController()
    const polled = receive(QueueUrl, { WaitTimeSeconds: 20, abort: abort.signal })
    // Answered on another connection after the poll's request has reached the server.
    await receive(QueueUrl)
    abort.abort()
    await expect(polled).rejects.toThrow()
    await queue.client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }))
    expect(await receive(QueueUrl, { WaitTimeSeconds: 5 })).toMatchObject([{ Body: 'x' }])
  })

  it('runs beside another one', async () => {
    const other = await startEmbeddedQueue({ visibilityTimeoutSeconds: 30 })
    expect(other.endpoint).not.toBe(queue.endpoint)
    await other.stop()
  })

  it('refuses a visibility timeout that SQS does not have', async () => {
    await expect(startEmbeddedQueue({ visibilityTimeoutSeconds: 43_201 })).rejects.toThrow(
      'VisibilityTimeout',
    )
  })
})
