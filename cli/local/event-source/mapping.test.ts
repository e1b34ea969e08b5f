import { setTimeout as sleep } from 'node:timers/promises'
import { SQS } from '@aws-sdk/client-sqs'
import { buildApp } from 'fauxqs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { encodeMessage, type QueueClient } from '../../../shared/queue/index.ts'
import {
  bodiesOf,
  failAll,
  heldHandler,
  logger,
  numbered,
  sendTo,
  useEventSource,
  waitFor,
} from './mapping.fixtures.ts'
import type { BatchReport, EventSourceMappingOptions } from './mapping.ts'

describe('startEventSourceMapping', () => {
  const scene = useEventSource()
  const { start, send, hideForLonger, countsOf } = scene

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
    const { deadLetterUrl } = scene.queue.lanes.live
    await waitFor(async () => expect(await countsOf(deadLetterUrl)).toEqual({ visible: 1, inFlight: 0 }))
    expect(handler).toHaveBeenCalledTimes(2)
    expect(await countsOf(scene.queueUrl)).toEqual({ visible: 0, inFlight: 0 })
    const { Messages } = await scene.queue.client.receiveMessage({ QueueUrl: deadLetterUrl })
    expect(Messages).toMatchObject([{ Body: 'poison' }])
  })

  it('gathers messages over several receives while the window is open', async () => {
    const batches: string[][] = []
    await start({
      limits: { batchSize: 100, batchWindowSeconds: 1 },
      handler: async (event) => {
        batches.push(bodiesOf(event))
      },
    })
    await send(numbered(25))
    await waitFor(() => expect(batches).not.toHaveLength(0))
    expect(batches.map((bodies) => bodies.sort())).toEqual([numbered(25).sort()])
  })

  const bodyOf = (cluster: string, service: string): string =>
    encodeMessage({ cluster, namespace: 'shop', service })

  it('runs as many batches at once as allowed', async () => {
    await hideForLonger()
    const { handler, release, running, peak } = heldHandler()
    await start({ limits: { batchSize: 1, maximumConcurrency: 2 }, handler })
    await send(numbered(6))
    await waitFor(() => expect(running()).toBe(2))
    release()
    await waitFor(async () => expect(await countsOf(scene.queueUrl)).toEqual({ visible: 0, inFlight: 0 }))
    expect(peak()).toBe(2)
  })

  /**
   * Starts invocations: those with messages of the cluster hostile run until they are released, those of the
   * cluster quiet end at once.
   */
  async function startHostile(limits: EventSourceMappingOptions['limits'] = {}) {
    const { handler, begun, release } = heldHandler()
    const quiet: string[] = []
    await start({
      limits: { maximumConcurrency: 2, ...limits },
      handler: async (event) => {
        if (bodiesOf(event).some((body) => body.includes('hostile'))) return handler(event)
        quiet.push(...bodiesOf(event))
      },
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
      await scene.replaceQueue({ visibilityTimeoutSeconds: 60, maxReceiveCount: 12 })
      const { quiet, release } = await startHostile()
      await send([...flood, bodyOf('quiet', 'second')])
      await waitFor(() => expect(quiet).toHaveLength(2))
      release()
    })

    it('leaves the rest in the queue where they would use up their receives by it', async () => {
      await hideForLonger()
      const { quiet, release } = await startHostile()
      await send([...flood, bodyOf('quiet', 'second')])
      await waitFor(async () => expect((await countsOf(scene.queueUrl)).inFlight).toBeGreaterThan(2_000))
      await sleep(100)
      expect((await countsOf(scene.queueUrl)).visible).toBeGreaterThan(200)
      expect(quiet).toHaveLength(1)
      release()
    })
  })

  it('keeps messages hidden while they wait, and counts no further receive for it', async () => {
    const receiveCounts: string[] = []
    await start({
      limits: { batchSize: 1, maximumConcurrency: 2 },
      handler: async ({ Records }) => {
        receiveCounts.push(...Records.map(({ attributes }) => attributes.ApproximateReceiveCount))
        await sleep(600)
      },
    })
    await send(numbered(8))
    await waitFor(async () => expect(await countsOf(scene.queueUrl)).toEqual({ visible: 0, inFlight: 0 }))
    expect(receiveCounts).toEqual(Array.from({ length: 8 }, () => '1'))
  })

  it('refuses settings that Lambda refuses', async () => {
    const handler = vi.fn()
    await expect(start({ handler, limits: { functionTimeoutSeconds: 2 } })).rejects.toThrow(
      'visibility timeout of 1 s',
    )
  })

  it('refuses a queue that does not say for how long messages are hidden', async () => {
    const client: QueueClient = {
      ...scene.queue.client,
      getQueueAttributes: async () => ({ Attributes: {} }),
    }
    await expect(start({ client, handler: failAll })).rejects.toThrow('does not say its VisibilityTimeout')
  })

  it('polls a server that never waits a few times a second, says so once, and misses nothing', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const pass = async (seconds: number): Promise<void> => {
      for (let tenth = 0; tenth < 10 * seconds; tenth++) {
        await vi.advanceTimersByTimeAsync(100)
        for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
      }
    }
    const [warn, seen] = [vi.fn(), [] as string[]]
    let polls = 0
    const receiveMessage: QueueClient['receiveMessage'] = (input) => {
      polls++
      return scene.queue.client.receiveMessage({ ...input, WaitTimeSeconds: 0 })
    }
    await start({
      client: { ...scene.queue.client, receiveMessage },
      logger: { ...logger, warn },
      handler: async (event) => void seen.push(...bodiesOf(event)),
    })
    await pass(30)
    expect(polls).toBeGreaterThan(30)
    expect(polls).toBeLessThan(150)
    expect(warn.mock.calls.map(([, message]) => message)).toEqual([
      expect.stringContaining('the queue answers polls at once'),
    ])
    await send(['late'])
    await pass(2)
    expect(seen).toEqual(['late'])
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
    await scene.mappings[0]?.drain()
    for (const client of [first.client, second.client]) client.destroy()
    await second.app.close()
  })
})
