import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startTraceCollector } from '../../test/support/trace-collector.ts'
import type { ApiClient } from '../kubernetes/index.ts'
import { ENDPOINT_SLICES } from '../kubernetes/index.ts'
import type { KeyMessage } from '../queue/index.ts'
import { createReconcileTraces, createSendTraces, openTracing, type Tracing } from './index.ts'

const KEY = { cluster: 'a', namespace: 'shop', service: 'web' }
const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const OTHER = '00-1bf7651916cd43dd8448eb211c80319c-c7ad6b7169203331-01'
const UNSAMPLED = PARENT.replace(/01$/, '00')

async function open(traceShare = 1) {
  const collector = await startTraceCollector()
  const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  const settings = { traces: collector.url, traceShare }
  const tracing = (await openTracing({ settings, service: 'test', logger })) as Tracing
  onTestFinished(() => tracing.stop())
  return { ...collector, tracing, logger }
}

const contextOf = (receiveCount = 1) => ({
  signal: new AbortController().signal,
  receiveCount,
  sentTimestamp: 0,
})
const messageOf = (traceparents?: readonly string[]) => ({
  ...KEY,
  messageIds: ['m1'],
  ...(traceparents && { traceparents }),
})

describe('tracing', () => {
  it('is nothing where it is off', async () => {
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
    const settings = { traces: 'off', traceShare: 1 }
    expect(await openTracing({ settings, service: 'test', logger })).toBeUndefined()
  })

  it('cuts long values and long errors', async () => {
    const { tracing, spans } = await open()
    const span = tracing.start('long', { attributes: { text: 'x'.repeat(5_000) } })
    span?.end(new Error('y'.repeat(5_000)))
    await tracing.flush()
    expect(String(spans[0]?.attributes.text)).toHaveLength(1_024)
    expect(spans[0]?.status.message).toHaveLength(1_024)
  })

  it('does not wait for an unreachable collector, and reports it', async () => {
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
    const settings = { traces: 'http://127.0.0.1:9', traceShare: 1 }
    const tracing = await openTracing({ settings, service: 'test', logger })
    tracing?.start('lost', {})?.end()
    await tracing?.flush()
    await tracing?.stop()
    expect(logger.warn.mock.calls[0]).toEqual([
      expect.objectContaining({ endpoint: 'http://127.0.0.1:9' }),
      expect.stringContaining('cannot export traces'),
    ])
  })
})

describe('the traces of what is sent', () => {
  it('begin with the watch event and end when the queue has accepted the message', async () => {
    const { tracing, spans } = await open()
    const traces = createSendTraces(tracing, 'live')
    const message = traces.sending(KEY, 250)
    expect(message).toEqual({ ...KEY, traceparents: [expect.stringMatching(/^00-[0-9a-f-]{50}01$/)] })
    await tracing.flush()
    expect(spans).toEqual([])
    traces.sent(message)
    await tracing.flush()
    const [send, change] = spans
    expect([send?.name, change?.name]).toEqual(['send live', 'change'])
    expect(message.traceparents?.[0]).toBe(`00-${send?.traceId}-${send?.spanId}-01`)
    expect(send?.parentSpanId).toBe(change?.spanId)
    const waited = BigInt(send?.startTimeUnixNano ?? 0) - BigInt(change?.startTimeUnixNano ?? 0)
    expect(Number(waited / 1_000_000n)).toBeGreaterThanOrEqual(249)
  })

  it('leave a message outside the sampled share unchanged', async () => {
    const { tracing } = await open(0)
    const message: KeyMessage = { ...KEY }
    expect(createSendTraces(tracing, 'live').sending(message, 0)).toBe(message)
  })
})

describe('the traces of what is reconciled', () => {
  it('continue those of the messages: the first is the parent, the others are linked', async () => {
    const { tracing, spans } = await open()
    const traces = createReconcileTraces(async () => tracing)
    const client = traces.client({ cluster: 'a', delete: async () => {} } as Partial<ApiClient> as ApiClient)
    await traces.reconcile(async ({ service }) => {
      await client.delete(ENDPOINT_SLICES, { namespace: 'shop', name: `${service}-1` })
    })(messageOf([PARENT, OTHER]), contextOf(3))
    await tracing.flush()
    const [call, sync] = spans
    expect(sync).toMatchObject({
      name: 'reconcile',
      traceId: PARENT.split('-')[1],
      parentSpanId: PARENT.split('-')[2],
      links: [{ traceId: OTHER.split('-')[1], spanId: OTHER.split('-')[2] }],
      attributes: { 'sliceflow.receive_count': 3, 'messaging.message.id': 'm1' },
    })
    expect(call).toMatchObject({
      name: 'delete endpointslices',
      parentSpanId: sync?.spanId,
      attributes: { 'sliceflow.api.name': 'web-1' },
    })
  })

  it('record the error of a sync and pass it on to the caller', async () => {
    const { tracing, spans } = await open()
    const reconcile = createReconcileTraces(async () => tracing).reconcile(async () => {
      throw new TypeError('no such thing')
    })
    await expect(reconcile(messageOf([PARENT]), contextOf())).rejects.toThrow('no such thing')
    await tracing.flush()
    expect(spans[0]).toMatchObject({
      status: { code: 2, message: 'no such thing' },
      attributes: { 'error.type': 'TypeError' },
    })
  })

  it.each([
    ['carries none', undefined],
    ['says that its trace is not exported', [UNSAMPLED]],
  ])('are none where a message %s', async (_, traceparents) => {
    const { tracing, requests } = await open()
    const opened = vi.fn(async () => tracing)
    const traces = createReconcileTraces(opened)
    const done = vi.fn(async () => {})
    await traces.reconcile(done)(messageOf(traceparents), contextOf())
    await traces.flush(AbortSignal.timeout(5_000))
    expect(done).toHaveBeenCalledOnce()
    expect(opened).toHaveBeenCalledTimes(traceparents === undefined ? 0 : 1)
    expect(requests).toEqual([])
  })

  it('are absent if they cannot be opened, and the key is reconciled nevertheless', async () => {
    const traces = createReconcileTraces(async () => undefined)
    const done = vi.fn(async () => {})
    await traces.reconcile(done)(messageOf([PARENT]), contextOf())
    expect(done).toHaveBeenCalledOnce()
  })
})
