import { describe, expect, it, vi } from 'vitest'
import type { Change } from '../../shared/changes/index.ts'
import type { QueueSender, SendResult } from '../../shared/queue/index.ts'
import { createLogger } from '../../shared/telemetry/index.ts'
import { createOutbox } from './outbox.ts'

const change = (service: string): Change => ({ cluster: 'a', namespace: 'shop', service })
const changes = (count: number): Change[] => Array.from({ length: count }, (_, index) => change(`s${index}`))

/** A queue whose answers the test gives; every sending waits for its answer or for the abort. */
function heldSender(): QueueSender & {
  sendings: { messages: readonly Change[]; answer: (result: SendResult) => void }[]
} {
  const sendings: { messages: readonly Change[]; answer: (result: SendResult) => void }[] = []
  return {
    sendings,
    send: (messages, signal) =>
      new Promise((resolve) => {
        sendings.push({ messages: messages as Change[], answer: resolve })
        signal?.addEventListener('abort', () => resolve({ accepted: [], rejected: [], unsent: messages }))
      }),
  }
}

const accepting: QueueSender = {
  send: async (messages) => ({ accepted: messages, rejected: [], unsent: [] }),
}

const logged: string[] = []
const logger = createLogger({ write: (line) => logged.push(line) })

const never = new AbortController().signal

describe('an outbox', () => {
  it('keeps a key until the queue has accepted it', async () => {
    const sender = heldSender()
    const outbox = createOutbox({ sender, logger, windowMs: 0 })
    outbox.add([change('cart')])
    await vi.waitFor(() => expect(sender.sendings).toHaveLength(1), 15_000)
    expect(outbox.size).toBe(1)
    sender.sendings[0]?.answer({ accepted: [change('cart')], rejected: [], unsent: [] })
    await vi.waitFor(() => expect(outbox.size).toBe(0), 15_000)
  })

  it('merges the changes of a key that cannot leave yet', async () => {
    const sender = heldSender()
    const outbox = createOutbox({ sender, logger, windowMs: 0 })
    outbox.add(changes(400))
    await vi.waitFor(() => expect(sender.sendings).toHaveLength(4), 15_000)
    for (let event = 0; event < 1000; event++) outbox.add([change('busy')])
    expect(sender.sendings).toHaveLength(4)
    expect(outbox.size).toBe(401)
  })

  it('sends everything at its end, whatever the window', async () => {
    const sent: number[] = []
    const outbox = createOutbox({
      sender: accepting,
      logger,
      windowMs: 60_000,
      onSent: (keys) => sent.push(keys),
    })
    outbox.add([change('cart')])
    await vi.waitFor(() => expect(sent).toEqual([1]), 15_000)
    outbox.add([change('cart')])
    expect(await outbox.drain(never)).toBe(0)
    expect(sent).toEqual([1, 1])
  })

  it('says how many keys the queue did not take before the end', async () => {
    const outbox = createOutbox({ sender: heldSender(), logger, windowMs: 0 })
    outbox.add(changes(7))
    const end = new AbortController()
    const drained = outbox.drain(end.signal)
    end.abort()
    expect(await drained).toBe(7)
  })

  it('drops what the queue refuses for ever, and says so', async () => {
    const refusing: QueueSender = {
      send: async (messages) => ({
        accepted: [],
        rejected: messages.map((item) => ({
          item,
          code: 'InvalidMessageContents',
          reason: 'no such character',
        })),
        unsent: [],
      }),
    }
    const outbox = createOutbox({ sender: refusing, logger, windowMs: 0 })
    outbox.add([change('cart')])
    expect(await outbox.drain(never)).toBe(0)
    expect(logged.join()).toContain('no such character')
  })
})

describe('an outbox whose queue is down', () => {
  /** Refuses what it is given until it is up; as the real sender, it keeps trying until then. */
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
    const outbox = createOutbox({ sender: queue, logger, windowMs: 1 })
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
    const outbox = createOutbox({ sender: queue, logger, windowMs: 0 })
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
})
