import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CircuitOpenError, ForbiddenError } from '../../kubernetes/index.ts'
import { FUNCTION_TIMEOUT_MS, keyBody, record, setUp } from './batch-handler.fixtures.ts'

const settings = { maxReceiveCount: 6 }
const forbidden = new ForbiddenError('failed to list Pods of cluster prod: no', 403, {})
const down = new CircuitOpenError('cluster prod did not answer 5 times in a row', 20, undefined)

describe('a handler whose keys go on failing', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('writes the dead letter of a key itself in the last receive, with its story, and counts it as done', async () => {
    const { handle, sendDeadLetter, postpone, onDeadLetter, logger } = setUp({
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
    expect(sendDeadLetter.mock.calls.map(([sent]) => sent)).toEqual([letter])
    expect(onDeadLetter.mock.calls).toEqual([[letter]])
    expect(postpone).not.toHaveBeenCalled()
    expect(logger.error).toHaveBeenCalledWith(
      expect.objectContaining({ class: 'Unexpected', attempts: 7, cluster: 'prod', service: 'cart' }),
      'moved a key to the dead-letter queue',
    )
  })

  it('says in a dead letter no more than the key, of the message that was sent first', async () => {
    const { handle, sendDeadLetter, logger } = setUp({
      settings,
      reconcile: () => Promise.reject(new Error('500')),
    })
    const hint = { v: 1, pods: ['a'], slices: ['x'] }
    const body = JSON.stringify({
      ...JSON.parse(keyBody('cart')),
      hint,
      relayVerifies: true,
      nodesVersion: '3',
    })
    const at = (id: string, SentTimestamp: string) => {
      const sent = record(id, body, 6)
      return { ...sent, attributes: { ...sent.attributes, SentTimestamp } }
    }
    await handle([at('late', '3000'), at('early', '1000'), at('later', '2000')])
    expect(sendDeadLetter.mock.calls.map(([letter]) => letter)).toMatchObject([
      { body: keyBody('cart'), messageId: 'early', sentTimestamp: 1000 },
    ])
    expect(logger.warn).not.toHaveBeenCalled()
  })

  it('sends the key back when the dead letters do not take its letter', async () => {
    const { handle, postpone, onDeadLetter, logger } = setUp({
      settings,
      reconcile: () => Promise.reject(new Error('500')),
      sendDeadLetter: () => Promise.reject(new Error('no such queue')),
    })
    expect(await handle([record('1', keyBody('cart'), 6)])).toEqual(['1'])
    expect(postpone.mock.calls[0]?.[0]).toEqual([{ receiptHandle: 'handle-1', seconds: 32 }])
    expect(onDeadLetter).not.toHaveBeenCalled()
    expect(logger.warn.mock.calls).toMatchObject([
      [
        { service: 'cart', err: { message: 'no such queue' } },
        expect.stringContaining('did not accept a key'),
      ],
    ])
  })

  it('answers in time when the dead letters do not answer', async () => {
    const { handle, postpone, sendDeadLetter, logger, onDeadLetter } = setUp({
      settings,
      reconcile: () => Promise.reject(new Error('500')),
      sendDeadLetter: () => new Promise(() => {}),
    })
    const keys = Array.from({ length: 30 }, (_, index) => record(`${index}`, keyBody(`s${index}`), 6))
    const handled = handle(keys)
    await vi.advanceTimersByTimeAsync(FUNCTION_TIMEOUT_MS - 250)
    expect(await handled).toHaveLength(30)
    expect(postpone.mock.calls[0]?.[0]).toHaveLength(30)
    expect(sendDeadLetter, 'no letter is begun when the time for letters is over').toHaveBeenCalledTimes(10)
    const line = [
      expect.objectContaining({ err: expect.any(Error) }),
      expect.stringContaining('accept a key'),
    ]
    expect(logger.warn.mock.calls).toEqual(Array.from({ length: 30 }, () => line))
    expect([logger.error, onDeadLetter].map(({ mock }) => mock.calls)).toEqual([[], []])
  })

  it('has patience again with a key that has succeeded meanwhile', async () => {
    const outcomes = [forbidden, undefined, forbidden]
    const { handle, sendDeadLetter } = setUp({
      settings: { ...settings, maxReceiveCount: 12 },
      async reconcile() {
        const outcome = outcomes.shift()
        if (outcome !== undefined) throw outcome
      },
    })
    expect(await handle([record('1', keyBody('cart'), 1)])).toEqual(['1'])
    await vi.advanceTimersByTimeAsync(300_000)
    expect(await handle([record('2', keyBody('cart'), 1)])).toEqual([])
    await vi.advanceTimersByTimeAsync(300_000)
    expect(await handle([record('3', keyBody('cart'), 4)])).toEqual(['3'])
    expect(sendDeadLetter).not.toHaveBeenCalled()
  })

  it('reports what goes back by its highest receive count, of an outage only who looks closely', async () => {
    const fail = vi.fn<() => Promise<never>>().mockRejectedValueOnce(new Error('500')).mockRejectedValue(down)
    const { handle, logger } = setUp({ settings, reconcile: fail })
    await handle([record('1', keyBody('cart'), 2), record('2', keyBody('cart'), 3)])
    const line = expect.objectContaining({ receiveCount: 3, retryInSeconds: 4, service: 'cart' })
    expect(logger.warn.mock.calls).toEqual([[line, 'failed to handle a message; it goes back to the queue']])
    await handle([record('3', keyBody('cart'))])
    expect([logger.warn, logger.debug].map(({ mock }) => mock.calls.length)).toEqual([1, 1])
  })

  it('sends malformed messages back by how often they came, where the dead letters do not take them', async () => {
    const { handle, postpone } = setUp({ settings, sendDeadLetter: () => Promise.reject(new Error('down')) })
    expect(await handle([record('1', 'x', 4)])).toEqual(['1'])
    expect(postpone.mock.lastCall?.[0]).toEqual([{ receiptHandle: 'handle-1', seconds: 8 }])
  })

  it('sends messages of a later version back until the last receive, as a rolled-back function meets them', async () => {
    const { handle, postpone, sendDeadLetter } = setUp({ settings })
    const newer = '{"v":3,"cluster":"prod"}'
    expect(await handle([record('1', newer, 1), record('2', newer, 5)])).toEqual(['1', '2'])
    expect(postpone.mock.lastCall?.[0]).toMatchObject([{ seconds: 5 }, { seconds: 300 }])
    expect(sendDeadLetter).not.toHaveBeenCalled()
    expect(await handle([record('3', newer, 6)])).toEqual([])
    expect(sendDeadLetter.mock.calls.map(([letter]) => letter)).toMatchObject([
      { body: newer, failureClass: 'MalformedMessage', reason: expect.stringContaining('v must be 1') },
    ])
  })

  it('says of a malformed message that goes back how often it came, and of what was thrown what it is', async () => {
    const { handle, logger } = setUp({
      settings,
      reconcile: () => Promise.reject('no reason'),
      sendDeadLetter: () => Promise.reject(new TypeError('down')),
    })
    await handle([record('1', 'x', 4), record('2', keyBody('cart'), 2)])
    expect(logger.warn.mock.calls.map(([fields]) => fields)).toMatchObject([
      { messageIds: ['2'], errorClass: 'string', err: 'no reason', receiveCount: 2, retryInSeconds: 2 },
      { messageId: '1', errorClass: 'TypeError', receiveCount: 4, retryInSeconds: 8 },
    ])
  })

  it('leaves keys of a cluster that has not answered for long, without dead letters, and tells of it once a batch', async () => {
    const { handle, sendDeadLetter, onLeft, logger } = setUp({
      settings,
      reconcile: ({ cluster }) => (cluster === 'prod' ? Promise.reject(down) : Promise.resolve()),
    })
    const keys = ['a', 'b', 'c'].map((service) => record(service, keyBody(service), 6))
    expect(await handle([...keys, record('d', keyBody('d', 'other'), 6)])).toEqual([])
    expect(sendDeadLetter).not.toHaveBeenCalled()
    expect(onLeft.mock.calls.map(([{ service }]) => service)).toEqual(['a', 'b', 'c'])
    expect(logger.warn.mock.calls).toEqual([
      [{ cluster: 'prod', keys: 3 }, expect.stringContaining('dropped keys')],
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
    expect(logger.debug, 'of the one message, whenever it goes back').toHaveBeenCalledTimes(2)
  })

  it('keeps a later message as well during an outage where it knows of newer Nodes, and then that one alone', async () => {
    const { handle } = setUp({ settings, reconcile: () => Promise.reject(down) })
    const sent = (id: string, SentTimestamp: string, more: object, receiveCount = 1) => {
      const body = JSON.stringify({ ...JSON.parse(keyBody('cart')), history: 'h', ...more })
      const message = record(id, body, receiveCount)
      return { ...message, attributes: { ...message.attributes, SentTimestamp } }
    }
    const at7 = { nodesVersion: '7' }
    const at8 = { nodesVersion: '8' }
    const at9 = { nodesVersion: '9' }
    expect(await handle([sent('first', '1000', at7)])).toEqual(['first'])
    expect(await handle([sent('same', '2000', at7)])).toEqual([])
    expect(await handle([sent('newer', '3000', at8)])).toEqual(['newer'])
    expect(await handle([sent('late', '2500', at7)])).toEqual([])
    expect(await handle([sent('first', '1000', at7, 2)]), 'the newer one stands for it').toEqual([])
    const batch = [sent('old', '4000', at8), sent('tried', '5000', at9, 3), sent('new', '5500', at9, 2)]
    expect(await handle(batch)).toEqual(['new'])
    for (const more of [{ history: 'restored' }, { membersDigest: 'other' }])
      expect(await handle([sent('other', '6000', { ...at9, ...more })])).toEqual(['other'])
  })

  it('keeps a later message as well where the queue has not taken when the first one comes back', async () => {
    const { handle, postpone } = setUp({ settings, reconcile: () => Promise.reject(down) })
    postpone.mockRejectedValueOnce(new Error('throttled'))
    expect(await handle([record('first', keyBody('cart'))])).toEqual(['first'])
    expect(await handle([record('second', keyBody('cart'))])).toEqual(['second'])
    expect(await handle([record('third', keyBody('cart'))])).toEqual([])
  })
})
