import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { SQSEvent } from 'aws-lambda'
import { buildApp } from 'fauxqs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type EmbeddedQueue, startEmbeddedQueue } from './embedded-queue.ts'
import {
  type BatchReport,
  type EventSourceMapping,
  type EventSourceMappingOptions,
  startEventSourceMapping,
} from './event-source-mapping.ts'

const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
const bodiesOf = ({ Records }: SQSEvent): string[] => Records.map(({ body }) => body)
const failAll = async ({ Records }: SQSEvent) => ({
  batchItemFailures: Records.map(({ messageId }) => ({ itemIdentifier: messageId })),
})
const waitFor = (condition: () => unknown) => vi.waitFor(condition, { timeout: 15_000, interval: 10 })

async function sendTo(client: SQSClient, QueueUrl: string, bodies: readonly string[]): Promise<void> {
  for (let start = 0; start < bodies.length; start += 10) {
    const Entries = bodies
      .slice(start, start + 10)
      .map((MessageBody, index) => ({ Id: `${index}`, MessageBody }))
    await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }))
  }
}

describe('startEventSourceMapping', () => {
  let queue: EmbeddedQueue
  let queueUrl: string
  let mappings: EventSourceMapping[]

  beforeEach(async () => {
    queue = await startEmbeddedQueue({ visibilityTimeoutSeconds: 1, maxReceiveCount: 2 })
    queueUrl = queue.lanes.live.url
    mappings = []
  })

  afterEach(async () => {
    await Promise.all(mappings.map((mapping) => mapping.stop()))
    await queue.stop()
  })

  async function start(
    options: Pick<EventSourceMappingOptions, 'handler'> & Partial<EventSourceMappingOptions>,
  ) {
    const { client } = queue
    const mapping = await startEventSourceMapping({
      client,
      queueUrl,
      logger,
      functionTimeoutSeconds: 1,
      ...options,
    })
    mappings.push(mapping)
    return mapping
  }

  const send = (bodies: readonly string[]) => sendTo(queue.client, queueUrl, bodies)
  /** For messages that a busy machine may keep for more than the second that they are hidden otherwise. */
  const hideForLonger = () =>
    queue.client.send(
      new SetQueueAttributesCommand({ QueueUrl: queueUrl, Attributes: { VisibilityTimeout: '5' } }),
    )
  const numbered = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => `message ${index}`)

  async function countsOf(QueueUrl: string): Promise<{ visible: number; inFlight: number }> {
    const { Attributes } = await queue.client.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
    )
    return {
      visible: Number(Attributes?.ApproximateNumberOfMessages),
      inFlight: Number(Attributes?.ApproximateNumberOfMessagesNotVisible),
    }
  }

  it('invokes the function with what is in the queue and deletes what succeeded', async () => {
    const seen: string[] = []
    await start({
      handler: async (event) => {
        seen.push(...bodiesOf(event))
      },
    })
    await send(numbered(25))
    await waitFor(async () => expect(await countsOf(queueUrl)).toEqual({ visible: 0, inFlight: 0 }))
    expect(seen.sort()).toEqual(numbered(25).sort())
  })

  it('gives the function a true event', async () => {
    const handler = vi.fn(async (_event: SQSEvent) => {})
    await start({ handler })
    const before = Date.now()
    await send(['body'])
    await waitFor(() => expect(handler).toHaveBeenCalledOnce())
    const record = handler.mock.calls[0]?.[0].Records[0]
    expect(record).toMatchObject({
      body: 'body',
      attributes: { ApproximateReceiveCount: '1' },
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:sliceflow-live',
      awsRegion: 'us-east-1',
    })
    expect(Number(record?.attributes.SentTimestamp)).toBeGreaterThanOrEqual(before)
  })

  it('leaves only the messages in the queue that failed, and they come again', async () => {
    const receiveCounts: Record<string, number[]> = {}
    const reports: BatchReport[] = []
    await start({
      handler: async ({ Records }) => {
        for (const { body, attributes } of Records) {
          receiveCounts[body] = [...(receiveCounts[body] ?? []), Number(attributes.ApproximateReceiveCount)]
        }
        const failed = Records.filter(
          ({ body, attributes }) => body === 'bad' && attributes.ApproximateReceiveCount === '1',
        )
        return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) }
      },
      onBatch: (report) => reports.push(report),
    })
    await send(['good', 'bad'])
    await waitFor(() => expect(receiveCounts).toEqual({ good: [1], bad: [1, 2] }))
    await waitFor(() => expect(reports).toHaveLength(2))
    expect(reports).toEqual([
      { messages: 2, failed: 1, durationMs: expect.any(Number) },
      { messages: 1, failed: 0, durationMs: expect.any(Number) },
    ])
  })

  it('lets the queue move messages to the dead letters that fail too often', async () => {
    const handler = vi.fn(failAll)
    await start({ handler })
    await send(['poison'])
    const { deadLetterUrl } = queue.lanes.live
    await waitFor(async () => expect(await countsOf(deadLetterUrl)).toEqual({ visible: 1, inFlight: 0 }))
    expect(handler).toHaveBeenCalledTimes(2)
    expect(await countsOf(queueUrl)).toEqual({ visible: 0, inFlight: 0 })
    const { Messages } = await queue.client.send(new ReceiveMessageCommand({ QueueUrl: deadLetterUrl }))
    expect(Messages).toMatchObject([{ Body: 'poison' }])
  })

  it.each<[string, EventSourceMappingOptions['handler']]>([
    ['throws', () => Promise.reject(new Error('broken'))],
    ['names an unknown message', async () => ({ batchItemFailures: [{ itemIdentifier: 'unknown' }] })],
  ])('keeps the whole batch when the function %s', async (_what, handler) => {
    const reports: BatchReport[] = []
    const mapping = await start({ handler, onBatch: (report) => reports.push(report) })
    await send(numbered(3))
    await waitFor(() => expect(reports).not.toHaveLength(0))
    await mapping.drain()
    expect(reports[0]).toMatchObject({ messages: 3, failed: 3 })
    const { visible, inFlight } = await countsOf(queueUrl)
    expect(visible + inFlight).toBe(3)
  })

  it('gathers messages over several receives while the window is open', async () => {
    const batches: string[][] = []
    await start({
      batchSize: 100,
      batchWindowSeconds: 1,
      handler: async (event) => {
        batches.push(bodiesOf(event))
      },
    })
    await send(numbered(25))
    await waitFor(() => expect(batches).not.toHaveLength(0))
    expect(batches.map((bodies) => bodies.sort())).toEqual([numbered(25).sort()])
  })

  it('runs as many batches at once as allowed, and leaves the rest in the queue', async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let running = 0
    let peak = 0
    queueUrl = queue.lanes.sweep.url
    await start({
      batchSize: 1,
      maximumConcurrency: 2,
      handler: async () => {
        peak = Math.max(peak, ++running)
        await released
        running--
      },
    })
    await send(numbered(6))
    await waitFor(() => expect(running).toBe(2))
    expect(await countsOf(queueUrl)).toEqual({ visible: 4, inFlight: 2 })
    release()
    await waitFor(async () => expect(await countsOf(queueUrl)).toEqual({ visible: 0, inFlight: 0 }))
    expect(peak).toBe(2)
  })

  it('drains: waits for running batches and receives no more', async () => {
    await hideForLonger()
    let release = () => {}
    const handler = vi.fn(
      (_event: SQSEvent) =>
        new Promise<void>((resolve) => {
          release = resolve
        }),
    )
    const mapping = await start({ handler })
    await send(['first'])
    await waitFor(() => expect(handler).toHaveBeenCalledOnce())
    let isDrained = false
    const drained = mapping.drain().then(() => {
      isDrained = true
    })
    await send(['second'])
    expect(isDrained).toBe(false)
    release()
    await drained
    expect(handler).toHaveBeenCalledOnce()
    expect(await countsOf(queueUrl)).toEqual({ visible: 1, inFlight: 0 })
  })

  /** Resolves when the mapping polls again with a first message in its hands. */
  async function gatherOne(): Promise<void> {
    let receives = 0
    queue.client.middlewareStack.add(
      (next, { commandName }) =>
        (args) => {
          if (commandName === 'ReceiveMessageCommand') receives++
          return next(args)
        },
      { step: 'initialize' },
    )
    await send(['gathered'])
    await waitFor(() => expect(receives).not.toBe(0))
  }

  it('drains: invokes the function with what it has gathered', async () => {
    await hideForLonger()
    const handler = vi.fn(async (_event: SQSEvent) => {})
    const mapping = await start({ handler, batchSize: 100, batchWindowSeconds: 300 })
    await gatherOne()
    expect(handler).not.toHaveBeenCalled()
    await mapping.drain()
    expect(handler.mock.calls.map(([event]) => bodiesOf(event))).toEqual([['gathered']])
    expect(await countsOf(queueUrl)).toEqual({ visible: 0, inFlight: 0 })
  })

  it('stops: gives gathered messages back to the queue', async () => {
    await hideForLonger()
    const handler = vi.fn(async (_event: SQSEvent) => {})
    const mapping = await start({ handler, batchSize: 100, batchWindowSeconds: 300 })
    await gatherOne()
    await mapping.stop()
    // The aborted poll may hold the message for a moment before the queue notices that its client has gone.
    await waitFor(async () => expect(await countsOf(queueUrl)).toEqual({ visible: 1, inFlight: 0 }))
    expect(handler).not.toHaveBeenCalled()
  })

  it('refuses settings that Lambda refuses', async () => {
    const handler = vi.fn()
    await expect(start({ handler, batchSize: 11 })).rejects.toThrow('batchSize above 10')
    await expect(start({ handler, functionTimeoutSeconds: 2 })).rejects.toThrow('visibility timeout of 1 s')
  })

  it('goes on when the queue is back after an outage', async () => {
    const createApp = async (port: number) => {
      const app = buildApp({ logger: false })
      const endpoint = await app.listen({ port, host: '127.0.0.1' })
      const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
      const client = new SQSClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 })
      const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName: 'live' }))
      return { app, client, url: QueueUrl, port: Number(new URL(endpoint).port) }
    }
    const seen: string[] = []
    const first = await createApp(0)
    const warn = vi.fn()
    await start({
      client: first.client,
      queueUrl: first.url,
      logger: { ...logger, warn },
      handler: async (event) => {
        seen.push(...bodiesOf(event))
      },
    })
    await sendTo(first.client, first.url, ['before'])
    await waitFor(() => expect(seen).toEqual(['before']))
    await first.app.close()
    await waitFor(() => expect(warn.mock.calls.length).toBeGreaterThanOrEqual(2))
    const second = await createApp(first.port)
    await sendTo(second.client, second.url, ['after'])
    await waitFor(() => expect(seen).toEqual(['before', 'after']))
    await mappings[0]?.drain()
    for (const client of [first.client, second.client]) client.destroy()
    await second.app.close()
  })
})
