import { describe, expect, it, onTestFinished } from 'vitest'
import { CircuitOpenError } from '../../shared/kubernetes/index.ts'
import { PersistentConflictError } from '../../shared/reconciler/index.ts'
import { createMetrics, createStatusRecord, type Metrics } from './index.ts'

const KEY = { cluster: 'a', namespace: 'shop', service: 'web' }

async function start(): Promise<{ metrics: Metrics; get: (path: string) => Promise<Response> }> {
  const metrics = createMetrics()
  const { url } = await metrics.listen(0)
  onTestFinished(() => metrics.stop())
  return { metrics, get: (path) => fetch(url + path) }
}

describe('the metrics server', () => {
  it('tells what reconciling did', async () => {
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

  it('tells the status that it is given, as JSON', async () => {
    const { document } = createStatusRecord(['a'])
    const metrics = createMetrics(document)
    const { url } = await metrics.listen(0)
    onTestFinished(() => metrics.stop())
    const response = await fetch(`${url}/status`)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual(document())
  })

  it('counts what the audit looked at, and what it found', async () => {
    const { metrics, get } = await start()
    const outcome = { key: { ...KEY, audit: true as const }, created: 0, updated: 1, deleted: 0, attempts: 1 }
    metrics.observer.onReconciled?.({ ...outcome, updated: 0 })
    metrics.observer.onReconciled?.({ ...outcome, key: KEY })
    expect(await (await get('/metrics')).text()).toContain('sliceflow_audit_findings_total{cluster="a"} 0\n')
    metrics.observer.onReconciled?.({ ...outcome, isFinding: true })
    const text = await (await get('/metrics')).text()
    expect(text).toContain('sliceflow_audit_looks_total{cluster="a"} 2\n')
    expect(text).toContain('sliceflow_audit_findings_total{cluster="a"} 1\n')
  })

  it('counts what a shadow compared', async () => {
    const { metrics, get } = await start()
    metrics.observer.onCompared?.({ key: KEY, result: 'same', differences: new Map() })
    expect(await (await get('/metrics')).text()).toContain('sliceflow_shadow_services{result="same"} 1')
  })

  it('knows no other path', async () => {
    const { get } = await start()
    expect((await get('/')).status).toBe(404)
  })

  it('refuses a port that is taken', async () => {
    const first = createMetrics()
    const { url } = await first.listen(0)
    onTestFinished(() => first.stop())
    await expect(createMetrics().listen(Number(new URL(url).port))).rejects.toThrow('EADDRINUSE')
  })
})
