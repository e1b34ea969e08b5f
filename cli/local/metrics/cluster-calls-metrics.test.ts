import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { createClusterCallsMetrics } from './cluster-calls-metrics.ts'

describe('the metrics of calls to clusters', () => {
  it('show how each cluster is now, and none that is gone', async () => {
    const registry = new Registry()
    const metrics = createClusterCallsMetrics(registry)
    expect(await registry.metrics()).not.toContain('{')
    metrics.readFrom(() => [{ cluster: 'east', circuit: 2, waiting: 3, left: 0, pauses: 4 }])
    const text = await registry.metrics()
    expect(text).toContain('sliceflow_cluster_circuit_state{cluster="east"} 2')
    expect(text).toContain('sliceflow_cluster_calls_waiting{cluster="east"} 3')
    expect(text).toContain('sliceflow_cluster_calls_left{cluster="east"} 0')
    expect(text).toContain('sliceflow_cluster_pauses{cluster="east"} 4')
    metrics.readFrom(() => [])
    expect(await registry.metrics()).not.toContain('east')
  })

  it('count what was given up', async () => {
    const registry = new Registry()
    const metrics = createClusterCallsMetrics(registry)
    metrics.deadLetter('Forbidden')
    metrics.deadLetter('Forbidden')
    metrics.left('east')
    const text = await registry.metrics()
    expect(text).toContain('sliceflow_dead_letters_total{class="Forbidden"} 2')
    expect(text).toContain('sliceflow_left_keys_total{cluster="east"} 1')
  })
})
