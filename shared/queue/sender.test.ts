import {
  ReceiveMessageCommand,
  type SendMessageBatchCommandInput,
  type SendMessageBatchCommandOutput,
  type SQS,
} from '@aws-sdk/client-sqs'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { anyCharacter } from '../../test/support/any-character.ts'
import { startTestQueue, type TestQueue } from '../../test/support/test-queue.ts'
import { encodeMessage, type KeyMessage, parseMessage } from './message.ts'
import { createQueueSender, messageGroupId, type QueueSenderOptions } from './sender.ts'

const key = (service: string, cluster = 'prod'): KeyMessage => ({ cluster, namespace: 'shop', service })
const keys = (count: number): KeyMessage[] => Array.from({ length: count }, (_, index) => key(`s${index}`))
const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }

describe('createQueueSender', () => {
  let queue: TestQueue
  let client: SQS
  let queueUrl: string

  beforeEach(async () => {
    queue = await startTestQueue('live')
    ;({ client, queueUrl } = queue)
  })

  afterEach(() => queue.stop())

  const createSender = (options: Partial<QueueSenderOptions> = {}) =>
    createQueueSender({ client, queueUrl, logger, backoff: { baseMs: 1, capMs: 5 }, ...options })

  async function receiveAll(): Promise<KeyMessage[]> {
    const received: KeyMessage[] = []
    for (;;) {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10 }),
      )
      if (Messages.length === 0) return received
      received.push(...Messages.map(({ Body = '' }) => parseMessage(Body)))
    }
  }

  /** Stands between the sender and the queue: sees every request and may change what comes of it. */
  function intercept(
    step: (
      input: SendMessageBatchCommandInput,
      next: () => Promise<SendMessageBatchCommandOutput>,
    ) => Promise<SendMessageBatchCommandOutput>,
  ): void {
    client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName !== 'SendMessageBatchCommand') return next(args)
          const input = args.input as SendMessageBatchCommandInput
          let response: unknown
          const output = await step(input, async () => {
            const result = await next(args)
            response = result.response
            return result.output as SendMessageBatchCommandOutput
          })
          return { output, response }
        },
      { step: 'initialize' },
    )
  }

  it('carries the context of a trace as an attribute, not in the body, and nothing where there is none', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const entries: unknown[] = []
    intercept(async (input, next) => {
      entries.push(...(input.Entries ?? []))
      return next()
    })
    await createSender().send([{ ...key('traced'), traceparents: [traceparent] }, key('other')])
    expect(entries).toEqual([
      expect.objectContaining({
        MessageBody: encodeMessage(key('traced')),
        MessageAttributes: { traceparent: { DataType: 'String', StringValue: traceparent } },
      }),
      expect.not.objectContaining({ MessageAttributes: expect.anything() }),
    ])
  })

  it('brings every message to the queue', async () => {
    const messages = keys(25)
    expect(await createSender().send(messages)).toEqual({ accepted: messages, rejected: [], unsent: [] })
    expect((await receiveAll()).map(({ service }) => service).sort()).toEqual(
      messages.map(({ service }) => service).sort(),
    )
  })

  it('keeps a batch of the largest messages below the limit of a request', async () => {
    const service = [63, 63, 63, 61].map((n) => 's'.repeat(n)).join('.')
    const largest = {
      ...key(service, '語'.repeat(512)),
      namespace: 'n'.repeat(63),
      resourceVersion: '9'.repeat(64),
    }
    const { accepted } = await createSender().send(Array.from({ length: 10 }, () => largest))
    expect(accepted).toHaveLength(10)
  })

  it('groups messages by cluster', async () => {
    const groups: (string | undefined)[] = []
    intercept((input, next) => {
      groups.push(...(input.Entries ?? []).map(({ MessageGroupId }) => MessageGroupId))
      return next()
    })
    await createSender().send([key('a', 'prod'), key('b', 'my cluster')])
    expect(groups).toEqual(['prod', expect.stringMatching(/^sha256:/)])
  })

  it('has the queue keep each message back for as long as it is reported', async () => {
    const delays: unknown[] = []
    intercept(async (input, next) => {
      delays.push(...(input.Entries ?? []).map(({ DelaySeconds }) => DelaySeconds))
      return next()
    })
    await createSender().send(keys(1))
    const sender = createSender({ delaySeconds: ({ service }) => Number(service.slice(1)) * 100 })
    await sender.send(keys(3))
    expect(delays).toEqual([undefined, 0, 100, 200])
    expect((await receiveAll()).map(({ service }) => service).sort()).toEqual(['s0', 's0'])
  })

  it('reports messages that the other side would refuse without sending them', async () => {
    const bad = key('Not-A-Service')
    const good = key('cart')
    expect(await createSender().send([bad, good])).toEqual({
      accepted: [good],
      rejected: [{ item: bad, code: 'MalformedMessage', reason: expect.stringContaining('service') }],
      unsent: [],
    })
    expect(await receiveAll()).toEqual([good])
  })

  it('lets other batches pass while one waits for its next attempt', async () => {
    const order: string[] = []
    intercept(async (input, next) => {
      const first = parseMessage(input.Entries?.[0]?.MessageBody ?? '').service
      const isRefused = first === 's0' && !order.includes('s0 refused')
      order.push(isRefused ? 's0 refused' : first)
      if (isRefused) throw new Error('ServiceUnavailable')
      return next()
    })
    await createSender({ concurrency: 1 }).send(keys(20))
    expect(order).toEqual(['s0 refused', 's10', 's0'])
  })
})

const groupOf = (cluster: string): string => messageGroupId({ cluster })

describe('messageGroupId', () => {
  it('is the name of the cluster where SQS allows it', () => {
    const arn = 'arn:aws:eks:eu-west-1:123456789012:cluster/prod-1'
    expect(groupOf(arn)).toBe(arn)
    expect(groupOf('c'.repeat(128))).toBe('c'.repeat(128))
  })

  it('is a hash where the name is too long, has spaces or is not ASCII', () => {
    for (const name of ['c'.repeat(129), 'my cluster', 'Küche']) {
      expect(groupOf(name)).toMatch(/^sha256:[0-9a-f]{64}$/)
    }
  })

  it('is apart for each cluster that changed, of a key that stands for several', () => {
    const set = { cluster: 'clusterset:default' }
    const groups = [set, { ...set, from: 'eu' }, { ...set, from: 'us' }].map(messageGroupId)
    expect(groups).toEqual(['clusterset:default', 'clusterset:default/eu', 'clusterset:default/us'])
    expect(messageGroupId({ ...set, from: 'c'.repeat(128) })).toMatch(/^sha256:[0-9a-f]{64}$/)
  })

  it('is always valid, the same for the same cluster and another for another', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, minLength: 1 }),
        fc.string({ minLength: 1, maxLength: 300 }),
        (a, b) => {
          for (const name of [a, b]) expect(groupOf(name)).toMatch(/^[\x21-\x7e]{1,128}$/)
          expect(groupOf(a) === groupOf(b)).toBe(a === b)
        },
      ),
    )
  })
})
