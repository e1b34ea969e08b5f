import { setTimeout as sleep } from 'node:timers/promises'
import { SQS } from '@aws-sdk/client-sqs'
import type { SQSEvent } from 'aws-lambda'
import { buildApp } from 'fauxqs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createQueueClient, encodeMessage, type QueueClient } from '../../shared/queue/index.ts'
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

async function sendTo(client: QueueClient, QueueUrl: string, bodies: readonly string[]): Promise<void> {
  for (let start = 0; start < bodies.length; start += 10) {
    const Entries = bodies
      .slice(start, start + 10)
      .map((MessageBody, index) => ({ Id: `${index}`, MessageBody }))
    await client.sendMessageBatch({ QueueUrl, Entries })
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
  async function hideForLonger(): Promise<void> {
    const client = await createQueueClient(queueUrl)
    await client.setQueueAttributes({ QueueUrl: queueUrl, Attributes: { VisibilityTimeout: '5' } })
    client.destroy()
  }
  const numbered = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => `message ${index}`)

  async function countsOf(QueueUrl: string): Promise<{ visible: number; inFlight: number }> {
    const { Attributes } = await queue.client.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] })
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
    const { Messages } = await queue.client.receiveMessage({ QueueUrl: deadLetterUrl })
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

  /** A handler whose invocations run until they are released. */
  function heldHandler() {
    const { promise, resolve: release } = Promise.withResolvers<void>()
    const begun: string[] = []
    let running = 0
    let peak = 0
    return {
      release,
      begun,
      peak: () => peak,
      running: () => running,
      handler: async (event: SQSEvent): Promise<void> => {
        begun.push(...bodiesOf(event))
        peak = Math.max(peak, ++running)
        await promise
        running--
      },
    }
  }

  const bodyOf = (cluster: string, service: string): string =>
    encodeMessage({ cluster, namespace: 'shop', service })

  it('runs as many batches at once as allowed', async () => {
    await hideForLonger()
    const { handler, release, running, peak } = heldHandler()
    await start({ batchSize: 1, maximumConcurrency: 2, handler })
    await send(numbered(6))
    await waitFor(() => expect(running()).toBe(2))
    release()
    await waitFor(async () => expect(await countsOf(queueUrl)).toEqual({ visible: 0, inFlight: 0 }))
    expect(peak()).toBe(2)
  })

  /** Invocations with messages of the cluster hostile run until they are released; those of the cluster quiet end at once. */
  async function startHostile(options: Partial<EventSourceMappingOptions>) {
    const { handler, begun, release } = heldHandler()
    const quiet: string[] = []
    await start({
      maximumConcurrency: 2,
      handler: async (event) => {
        if (bodiesOf(event).some((body) => body.includes('hostile'))) return handler(event)
        quiet.push(...bodiesOf(event))
      },
      ...options,
    })
    await send([bodyOf('quiet', 'first')])
    await waitFor(() => expect(quiet).toHaveLength(1))
    return { begun, quiet, release }
  }

  it('invokes the function with messages of other clusters while one has any number that never end', async () => {
    await hideForLonger()
    const { begun, quiet, release } = await startHostile({ batchSize: 1 })
    await send(numbered(50).map((_, index) => bodyOf('hostile', `web-${index}`)))
    for (let sent = 2; sent < 10; sent++) {
      await send([bodyOf('quiet', `web-${sent}`)])
      await waitFor(() => expect(quiet).toHaveLength(sent))
    }
    expect(begun).toHaveLength(1)
    release()
  })

  describe('with more messages of one cluster than it holds', () => {
    const flood = Array.from({ length: 2_300 }, (_, index) => bodyOf('hostile', `web-${index}`))

    it('sends the rest back and finds those of others behind them', async () => {
      await queue.stop()
      queue = await startEmbeddedQueue({ visibilityTimeoutSeconds: 60, maxReceiveCount: 12 })
      queueUrl = queue.lanes.live.url
      const { quiet, release } = await startHostile({})
      await send([...flood, bodyOf('quiet', 'second')])
      await waitFor(() => expect(quiet).toHaveLength(2))
      release()
    })

    it('leaves the rest in the queue where they would use up their receives by it', async () => {
      await hideForLonger()
      const { quiet, release } = await startHostile({})
      await send([...flood, bodyOf('quiet', 'second')])
      await waitFor(async () => expect((await countsOf(queueUrl)).inFlight).toBeGreaterThan(2_000))
      await sleep(100)
      expect((await countsOf(queueUrl)).visible).toBeGreaterThan(200)
      expect(quiet).toHaveLength(1)
      release()
    })
  })

  it('keeps messages hidden while they wait, and counts no further receive for it', async () => {
    const receiveCounts: string[] = []
    await start({
      batchSize: 1,
      maximumConcurrency: 2,
      handler: async ({ Records }) => {
        receiveCounts.push(...Records.map(({ attributes }) => attributes.ApproximateReceiveCount))
        await sleep(600)
      },
    })
    await send(numbered(8))
    await waitFor(async () => expect(await countsOf(queueUrl)).toEqual({ visible: 0, inFlight: 0 }))
    expect(receiveCounts).toEqual(Array.from({ length: 8 }, () => '1'))
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
    const receives = vi.spyOn(queue.client, 'receiveMessage')
    await send(['gathered'])
    await waitFor(() => expect(receives).toHaveBeenCalled())
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

  it('stops: gives back what waits for an invocation, also while it drains', async () => {
    await hideForLonger()
    const { handler, begun, release, running } = heldHandler()
    const mapping = await start({ handler, batchSize: 1, maximumConcurrency: 2 })
    await send(numbered(5))
    await waitFor(async () => expect(await countsOf(queueUrl)).toEqual({ visible: 0, inFlight: 5 }))
    expect(running()).toBe(2)
    const drained = mapping.drain()
    await mapping.stop()
    expect(await countsOf(queueUrl)).toEqual({ visible: 3, inFlight: 2 })
    release()
    await drained
    expect(begun).toHaveLength(2)
  })

  it('drains: handles what waits for an invocation', async () => {
    await hideForLonger()
    const { handler, begun, release } = heldHandler()
    const mapping = await start({ handler, batchSize: 1, maximumConcurrency: 2 })
    await send(numbered(5))
    await waitFor(async () => expect(await countsOf(queueUrl)).toEqual({ visible: 0, inFlight: 5 }))
    const drained = mapping.drain()
    release()
    await drained
    expect(begun.sort()).toEqual(numbered(5))
    expect(await countsOf(queueUrl)).toEqual({ visible: 0, inFlight: 0 })
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
      const client = new SQS({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 })
      const { QueueUrl = '' } = await client.createQueue({ QueueName: 'live' })
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
