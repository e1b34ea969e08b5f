import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CircuitOpenError, ForbiddenError } from '../../shared/kubernetes/index.ts'
import { FUNCTION_TIMEOUT_MS, keyBody, record, setUp } from './handler.fixtures.ts'

const settings = { maxReceiveCount: 6, reserveMs: 1000 }
const forbidden = new ForbiddenError('failed to list Pods of cluster prod: no', 403, {})
const down = new CircuitOpenError('cluster prod did not answer 5 times in a row', 20, undefined)

describe('a handler whose keys go on failing', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('writes the letter of a key itself in the last receive, with its story, and counts it as done', async () => {
    const { handle, sendLetter, postpone, onDeadLetter, logger } = setUp({
      settings,
      reconcile: () => Promise.reject(new Error('HTTP status 500')),
    })
    expect(await handle([record('1', keyBody('cart'), 6), record('2', keyBody('cart'), 7)])).toEqual([])
    const letter = {
      body: keyBody('cart'),
      failureClass: 'Unexpected',
      reason: 'HTTP status 500',
      key: { cluster: 'prod', namespace: 'shop', service: 'cart' },
      attempts: 7,
      sentTimestamp: 1000,
      messageId: '1',
      sourceQueueArn: 'arn:aws:sqs:us-east-1:000000000000:live',
    }
    expect(sendLetter.mock.calls.map(([sent]) => sent)).toEqual([letter])
    expect(onDeadLetter.mock.calls).toEqual([[letter]])
    expect(postpone).not.toHaveBeenCalled()
    expect(logger.error).toHaveBeenCalledWith(
      expect.objectContaining({ class: 'Unexpected', attempts: 7, cluster: 'prod', service: 'cart' }),
      'moved a key to the dead letters',
    )
  })

  it('sends the key back when the dead letters do not take its letter', async () => {
    const { handle, postpone, onDeadLetter } = setUp({
      settings,
      reconcile: () => Promise.reject(new Error('500')),
      sendLetter: () => Promise.reject(new Error('no such queue')),
    })
    expect(await handle([record('1', keyBody('cart'), 6)])).toEqual(['1'])
    expect(postpone.mock.calls[0]?.[0]).toEqual([{ receiptHandle: 'handle-1', seconds: 32 }])
    expect(onDeadLetter).not.toHaveBeenCalled()
  })

  it('answers in time when the dead letters do not answer', async () => {
    const { handle, postpone, sendLetter } = setUp({
      settings,
      reconcile: () => Promise.reject(new Error('500')),
      sendLetter: () => new Promise(() => {}),
    })
    const keys = Array.from({ length: 30 }, (_, index) => record(`${index}`, keyBody(`s${index}`), 6))
    const handled = handle(keys)
    await vi.advanceTimersByTimeAsync(FUNCTION_TIMEOUT_MS - 250)
    expect(await handled).toHaveLength(30)
    expect(postpone.mock.calls[0]?.[0]).toHaveLength(30)
    expect(sendLetter, 'no letter is begun when the time for letters is over').toHaveBeenCalledTimes(10)
  })

  it('gives up what is refused for good after four receives, unless it is granted meanwhile', async () => {
    const allowed = new Set<string>()
    const { handle, sendLetter, postpone } = setUp({
      settings: { ...settings, maxReceiveCount: 12 },
      reconcile: async ({ service }) => {
        if (!allowed.has(service)) throw forbidden
      },
    })
    for (const [index, seconds] of [5, 20, 80].entries()) {
      const batch = [record('1', keyBody('cart'), index + 1), record('2', keyBody('till'), index + 1)]
      expect(await handle(batch)).toEqual(['1', '2'])
      expect(postpone.mock.lastCall?.[0].map((change) => change.seconds)).toEqual([seconds, seconds])
      await vi.advanceTimersByTimeAsync(seconds * 1000)
    }
    allowed.add('till')
    expect(await handle([record('1', keyBody('cart'), 4), record('2', keyBody('till'), 4)])).toEqual([])
    expect(sendLetter.mock.calls.map(([{ key, failureClass }]) => [key?.service, failureClass])).toEqual([
      ['cart', 'Forbidden'],
    ])
  })

  it('leaves keys of a cluster that has not answered for long, without letters, and tells of it once a batch', async () => {
    const { handle, sendLetter, onLeft, logger } = setUp({
      settings,
      reconcile: ({ cluster }) => (cluster === 'prod' ? Promise.reject(down) : Promise.resolve()),
    })
    const keys = ['a', 'b', 'c'].map((service) => record(service, keyBody(service), 6))
    expect(await handle([...keys, record('d', keyBody('d', 'other'), 6)])).toEqual([])
    expect(sendLetter).not.toHaveBeenCalled()
    expect(onLeft.mock.calls.map(([{ service }]) => service)).toEqual(['a', 'b', 'c'])
    expect(logger.warn.mock.calls).toEqual([
      [{ cluster: 'prod', keys: 3 }, expect.stringContaining('left keys')],
    ])
  })

  it('keeps one message a key in the queue during an outage, until the cluster is tried again', async () => {
    const { handle, postpone, logger } = setUp({ settings, reconcile: () => Promise.reject(down) })
    expect(await handle([record('1', keyBody('cart'))])).toEqual(['1'])
    const [change] = postpone.mock.lastCall?.[0] ?? []
    expect(change?.seconds).toBeGreaterThanOrEqual(20)
    expect(change?.seconds).toBeLessThanOrEqual(25)
    for (let more = 0; more < 50; more++)
      expect(await handle([record(`more-${more}`, keyBody('cart'))])).toEqual([])
    await vi.advanceTimersByTimeAsync(25_000)
    expect(await handle([record('1', keyBody('cart'), 2)])).toEqual(['1'])
    expect(logger.warn).not.toHaveBeenCalled()
  })
})
