import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { CircuitOpenError } from '../../../shared/kubernetes/index.ts'
import { PersistentConflictError } from '../../../shared/reconciler/index.ts'
import { parseSettings } from '../../../shared/settings/index.ts'
import { createMetrics, type Metrics, readMetric, startEmbeddedQueues, sumOf } from '../index.ts'

const KEY = { cluster: 'a', namespace: 'shop', service: 'web' }

async function start(): Promise<{ metrics: Metrics; get: (path: string) => Promise<Response> }> {
  const metrics = createMetrics()
  const { url } = await metrics.listen(0)
  onTestFinished(() => metrics.stop())
  return { metrics, get: (path) => fetch(url + path) }
}

describe('the metrics server', () => {
  it('reports what reconciling did', async () => {
    const { metrics, get } = await start()
    const stats = {
      endpointsDesired: 3,
      endpointsAdded: 3,
      endpointsRemoved: 0,
      slicesActual: 1,
      slicesDesired: 1,
    }
    const planned = { stats, topology: 'Disabled', trafficDistribution: '' } as const
    metrics.observer.onReconciled?.({ key: KEY, created: 1, updated: 0, deleted: 0, attempts: 2, planned })
    metrics.observer.onFailed?.(KEY, new PersistentConflictError('again and again'))
    metrics.observer.onFailed?.(KEY, new Error('down'))
    metrics.observer.onFailed?.(KEY, new CircuitOpenError('not tried', 1, undefined))
    metrics.observer.onReconciled?.({ key: KEY, created: 0, updated: 0, deleted: 2, attempts: 1 })
    const response = await get('/metrics')
    expect(response.headers.get('content-type')).toContain('text/plain')
    const text = await response.text()
    for (const line of [
      'syncs{result="success"} 2',
      'syncs{result="stale"} 1',
      'syncs{result="error"} 1',
      'changes{operation="create"} 1',
      'changes{operation="delete"} 2',
      'endpoints_added_per_sync_sum 3',
      'endpoints_desired 0',
    ])
      expect(text).toContain(`endpoint_slice_controller_${line}\n`)
  })

  it('is healthy at once and ready when the relay is', async () => {
    const { metrics, get } = await start()
    expect((await get('/healthz')).status).toBe(200)
    expect((await get('/readyz')).status).toBe(503)
    metrics.setHealth(() => ({ live: { ok: true, reason: 'ok' }, ready: { ok: true, reason: 'ok' } }))
    expect((await get('/readyz')).status).toBe(200)
  })

  it('reports how late slices were, and whose keys fail', async () => {
    const { metrics, get } = await start()
    const key = { ...KEY, triggerTime: new Date(Date.now() - 7_000).toISOString() }
    metrics.observer.onReconciled?.({ key, created: 0, updated: 1, deleted: 0, attempts: 1 })
    metrics.observer.onReconciled?.({ key, created: 0, updated: 0, deleted: 0, attempts: 1 })
    metrics.observer.onFailed?.({ ...KEY, cluster: 'b' }, new Error('down'))
    const text = await (await get('/metrics')).text()
    for (const line of [
      'event_to_applied_seconds_bucket{le="5"} 0',
      'event_to_applied_seconds_bucket{le="600"} 1',
      'event_to_applied_seconds_count 1',
      'failed_keys_total{cluster="a"} 0',
      'failed_keys_total{cluster="b"} 1',
    ])
      expect(text).toContain(`sliceflow_${line}\n`)
  })

  it('reports what waits in the queues and their dead letters', async () => {
    const { metrics, get } = await start()
    expect(await (await get('/metrics')).text()).not.toContain('sliceflow_queue_messages{')
    const queues = await startEmbeddedQueues(parseSettings({}))
    onTestFinished(() => queues.stop())
    metrics.setQueues(queues)
    await queues.client.sendMessage({ QueueUrl: queues.lanes.sweep.url, MessageBody: 'x' })
    for (const body of ['y', 'z'])
      await queues.client.sendMessage({ QueueUrl: queues.lanes.live.deadLetterUrl, MessageBody: body })
    const text = await (await get('/metrics')).text()
    for (const line of [
      'messages{lane="live"} 0',
      'messages{lane="sweep"} 1',
      'dead_letters{lane="live"} 2',
      'dead_letters{lane="sweep"} 0',
    ])
      expect(text).toContain(`sliceflow_queue_${line}\n`)
  })

  it('leaves a queue out that does not answer', async () => {
    const { metrics, get } = await start()
    const queues = await startEmbeddedQueues(parseSettings({}))
    metrics.setQueues(queues)
    await queues.stop()
    const response = await get('/metrics')
    expect(response.status).toBe(200)
    expect(await response.text()).not.toContain('sliceflow_queue_messages{')
  })

  it('forgets Services that were not synced here for longer than an audit takes: another process has', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { registry, observer } = createMetrics(undefined, 60_000)
    const stats = { endpointsAdded: 0, endpointsRemoved: 0, slicesActual: 1, slicesDesired: 1 }
    const planned = {
      stats: { ...stats, endpointsDesired: 3 },
      topology: 'Disabled',
      trafficDistribution: '',
    } as const
    const guarded = { acted: { held: 1 }, isBlocked: true }
    const synced = { created: 0, updated: 0, deleted: 0, attempts: 1, planned, guarded }
    observer.onReconciled?.({ ...synced, key: KEY })
    vi.setSystemTime(Date.now() + 50_000)
    observer.onReconciled?.({ ...synced, key: { ...KEY, service: 'api' } })
    const values = async (): Promise<unknown[]> => {
      const names = ['endpoint_slice_controller_endpoints_desired', 'sliceflow_held_plans']
      return (await Promise.all(names.map((name) => readMetric(registry, name)))).map(sumOf)
    }
    expect(await values()).toEqual([6, 2])
    vi.setSystemTime(Date.now() + 50_000)
    expect(await values()).toEqual([3, 1])
  })

  it('counts records that were lost, from 0', async () => {
    const { metrics, get } = await start()
    expect(await (await get('/metrics')).text()).toContain('sliceflow_lost_records_total 0\n')
    metrics.lostRecords(3)
    expect(await (await get('/metrics')).text()).toContain('sliceflow_lost_records_total 3\n')
  })

  it('counts what the audit sent, synced, and found', async () => {
    const { metrics, get } = await start()
    metrics.observer.onAudit?.('a', 5)
    expect(await (await get('/metrics')).text()).toContain('sliceflow_audit_keys_total{cluster="a"} 5\n')
    const outcome = { key: { ...KEY, audit: true as const }, created: 0, updated: 1, deleted: 0, attempts: 1 }
    metrics.observer.onReconciled?.({ ...outcome, updated: 0 })
    metrics.observer.onReconciled?.({ ...outcome, key: KEY })
    expect(await (await get('/metrics')).text()).toContain('sliceflow_audit_findings_total{cluster="a"} 0\n')
    metrics.observer.onReconciled?.({ ...outcome, isFinding: true })
    const text = await (await get('/metrics')).text()
    expect(text).toContain('sliceflow_audit_syncs_total{cluster="a"} 2\n')
    expect(text).toContain('sliceflow_audit_findings_total{cluster="a"} 1\n')
  })

  it('counts what a shadow compared', async () => {
    const { metrics, get } = await start()
    metrics.observer.onCompared?.({ key: KEY, result: 'same', differences: new Map() })
    expect(await (await get('/metrics')).text()).toContain('sliceflow_shadow_services{result="same"} 1')
  })
})
