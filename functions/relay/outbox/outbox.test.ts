import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Change, fixedTime } from '../../../shared/changes/index.ts'
import type { KeyMessage, QueueSender, SendResult } from '../../../shared/queue/index.ts'
import { createLogger } from '../../../shared/telemetry/index.ts'
import type { SendTraces } from '../../../shared/tracing/index.ts'
import { never, settle, until } from '../relay.fixtures.ts'
import { Outbox, type SendRules } from './outbox.ts'

const change = (service: string): Change => ({ cluster: 'a', namespace: 'shop', service })
const changes = (count: number): Change[] => Array.from({ length: count }, (_, index) => change(`s${index}`))

/** Makes a queue whose answers the test gives; every sending waits for its answer or for the abort. */
function heldSender(): QueueSender & {
  sendings: { messages: readonly KeyMessage[]; answer: (result: SendResult) => void }[]
} {
  const sendings: { messages: readonly KeyMessage[]; answer: (result: SendResult) => void }[] = []
  return {
    sendings,
    send: (messages, signal) =>
      new Promise((resolve) => {
        sendings.push({ messages, answer: resolve })
        signal?.addEventListener('abort', () => resolve({ accepted: [], rejected: [], unsent: messages }))
      }),
  }
}

const logged: string[] = []
const logger = createLogger({ write: (line) => logged.push(line) })

/** @param rules default: a key may be sent again at once */
const openOutbox = (sender: QueueSender, rules: Partial<SendRules> = {}): Outbox =>
  new Outbox({ sender, logger, rules: { processingTime: () => fixedTime(0), ...rules } })

/** Makes a bucket of these tokens, which are not added to but by the test. */
function createBucket(tokens: number, waitMs: number) {
  const bucket = {
    tokens,
    take(count: number) {
      bucket.tokens -= count
    },
    waitMs: () => waitMs,
  }
  return bucket
}

describe('an outbox', () => {
  it('merges the changes of a key that cannot leave yet', async () => {
    const sender = heldSender()
    const outbox = openOutbox(sender)
    outbox.add(changes(400))
    await vi.waitFor(() => expect(sender.sendings).toHaveLength(4), 15_000)
    for (let event = 0; event < 1000; event++) outbox.add([change('busy')])
    expect(sender.sendings).toHaveLength(4)
    expect(outbox.size).toBe(401)
  })

  it('makes a message as it is handed over, and again when it is handed over again', async () => {
    const sender = heldSender()
    let nodesVersion = '1'
    const messageOf = ({ pods: _pods, ...key }: Change): KeyMessage => ({ ...key, nodesVersion })
    const outbox = openOutbox(sender, { messageOf })
    outbox.add([{ ...change('cart'), pods: ['cart-1'] }])
    nodesVersion = '2'
    await vi.waitFor(() => expect(sender.sendings).toHaveLength(1), 15_000)
    const [first] = sender.sendings
    expect(first?.messages).toEqual([{ ...change('cart'), nodesVersion: '2' }])
    nodesVersion = '3'
    first?.answer({ accepted: [], rejected: [], unsent: first.messages })
    await vi.waitFor(() => expect(sender.sendings).toHaveLength(2), 15_000)
    expect(sender.sendings[1]?.messages).toEqual([{ ...change('cart'), nodesVersion: '3' }])
  })

  it('sends thousands of keys at its end, in as many sendings as they take, and reports each', async () => {
    const sent: number[] = []
    const sender: QueueSender = {
      send: async (messages) => {
        await new Promise((resolve) => setImmediate(resolve))
        return { accepted: messages, rejected: [], unsent: [] }
      },
    }
    const onSent = (messages: readonly KeyMessage[]): void => void sent.push(messages.length)
    const outbox = openOutbox(sender, { processingTime: () => fixedTime(60_000), onSent })
    for (let time = 0; time < 2; time++) {
      outbox.add(changes(2_500))
      expect(await outbox.drain(never)).toBe(0)
    }
    expect(sent).toEqual(Array(50).fill(100))
    expect([outbox.size, outbox.keys().size, outbox.oldestMs()]).toEqual([0, 0, 0])
  })

  it('counts as sent what was accepted, and drops what the queue refuses for ever, and says so', async () => {
    const sent: number[] = []
    const refused: string[] = []
    let isFirst = true
    const sender: QueueSender = {
      send: async (messages) => {
        const [first, second, ...others] = messages
        if (!isFirst || first === undefined || second === undefined)
          return { accepted: messages, rejected: [], unsent: [] }
        isFirst = false
        return {
          accepted: [first],
          rejected: [{ item: second, code: 'X', reason: 'no such character' }],
          unsent: others,
        }
      },
    }
    const outbox = openOutbox(sender, {
      onSent: (messages) => void sent.push(messages.length),
      onRejected: ({ service }) => void refused.push(service),
    })
    outbox.add(changes(5))
    expect(await outbox.drain(never)).toBe(0)
    expect([sent, refused]).toEqual([[1, 3], ['s1']])
    expect(logged.join()).toContain('no such character')
  })

  it('hands nothing over where it is to end at once', async () => {
    const sender = heldSender()
    const outbox = openOutbox(sender)
    outbox.add(changes(7))
    expect(await outbox.drain(AbortSignal.abort())).toBe(7)
    expect(sender.sendings).toEqual([])
  })

  it('records in its traces how long each accepted message waited, and no others', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const sending: [service: string, waitedMs: number][] = []
    const sent: KeyMessage[] = []
    const traces: SendTraces = {
      sending(message, waitedMs) {
        sending.push([message.service, waitedMs])
        return { ...message, traceparents: [message.service] }
      },
      sent: (message) => void sent.push(message),
    }
    const sender = heldSender()
    const outbox = openOutbox(sender, { traces })
    outbox.add([change('cart')])
    vi.advanceTimersByTime(30)
    outbox.add([change('web')])
    vi.advanceTimersByTime(12)
    await until(() => sender.sendings.length === 1)
    const [{ messages, answer } = expect.fail()] = sender.sendings
    expect(sending).toEqual([
      ['cart', 42],
      ['web', 12],
    ])
    answer({ accepted: messages.slice(1), rejected: [], unsent: messages.slice(0, 1) })
    await settle()
    expect(sent).toEqual([{ ...change('web'), traceparents: ['web'] }])
  })
})

describe('an outbox whose queue is down', () => {
  /** Rejects all messages until it is up; like the real sender, it retries until then. */
  function sender() {
    let isUp = false
    const sent: Change[] = []
    const waiting: (() => void)[] = []
    return {
      sent,
      up() {
        isUp = true
        for (const go of waiting.splice(0)) go()
      },
      async send(messages: readonly Change[]) {
        if (!isUp) await new Promise<void>((resolve) => waiting.push(resolve))
        sent.push(...messages)
        return { accepted: messages, rejected: [], unsent: [] }
      },
    }
  }

  it('holds each key once however often it changes, and loses none', async () => {
    const queue = sender()
    const outbox = openOutbox(queue, { processingTime: () => fixedTime(1) })
    for (let round = 0; round < 50; round++) {
      outbox.add(changes(2000))
      await new Promise((resolve) => setImmediate(resolve))
    }
    // Up to 400 are with the sender, and changed again since.
    expect(outbox.keys().size).toBe(2000)
    expect(outbox.size).toBeLessThanOrEqual(2400)
    expect(outbox.oldestMs()).toBeGreaterThan(0)
    queue.up()
    await vi.waitFor(() => expect(outbox.size).toBe(0), 15_000)
    expect(new Set(queue.sent.map(({ service }) => service)).size).toBe(2000)
    expect(outbox.oldestMs()).toBe(0)
  })

  it('sends a key once more that changed while it was on its way', async () => {
    const queue = sender()
    const outbox = openOutbox(queue)
    outbox.add([change('cart')])
    await vi.waitFor(() => expect(outbox.size).toBe(1), 15_000)
    await new Promise((resolve) => setImmediate(resolve))
    outbox.add([{ ...change('cart'), resourceVersion: '2' }])
    queue.up()
    await vi.waitFor(
      () => expect(queue.sent.map(({ resourceVersion }) => resourceVersion)).toEqual([undefined, '2']),
      15_000,
    )
  })

  it('sends no more keys than its bucket allows, and merges what changes meanwhile', async () => {
    const queue = sender()
    queue.up()
    const bucket = createBucket(3, 1)
    const outbox = openOutbox(queue, { bucket })
    outbox.add(changes(5))
    await vi.waitFor(() => expect(queue.sent).toHaveLength(3), 15_000)
    outbox.add(changes(5))
    expect(outbox.size).toBe(5)
    bucket.tokens = 4
    await vi.waitFor(() => expect(queue.sent).toHaveLength(7), 15_000)
    expect(queue.sent.slice(3).map(({ service }) => service)).toEqual(['s3', 's4', 's0', 's1'])
    expect(outbox.size).toBe(1)
    expect(await outbox.drain(never)).toBe(0)
  })

  it('waits by one timer while its bucket lets no key go, by none else, and by none after its end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const queue = sender()
    queue.up()
    const bucket = createBucket(3, 1_000)
    const outbox = openOutbox(queue, { bucket })
    const timersAfter = async (keys: number): Promise<number> => {
      outbox.add(changes(keys))
      await settle()
      return vi.getTimerCount()
    }
    expect([await timersAfter(2), await timersAfter(3), await timersAfter(5)]).toEqual([0, 1, 1])
    vi.advanceTimersByTime(999)
    bucket.tokens = 100
    expect(queue.sent).toHaveLength(3)
    vi.advanceTimersByTime(1)
    await settle()
    expect(queue.sent).toHaveLength(8)
    bucket.tokens = 0
    expect(await timersAfter(1)).toBe(1)
    expect(await outbox.drain(never)).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })
})
