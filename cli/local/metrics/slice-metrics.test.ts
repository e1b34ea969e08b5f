import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import type { SyncPlan } from '../../../shared/reconciler/index.ts'
import { LatestByKey } from '../latest-by-key.ts'
import { createSliceMetrics } from './slice-metrics.ts'

const latest = <Value>() => new LatestByKey<Value>()

const KEY = { cluster: 'a', namespace: 'shop', service: 'web' }
const WRITES = { created: 2, updated: 1, deleted: 4 }
const plan = (more: Partial<SyncPlan> = {}): SyncPlan => ({
  stats: { endpointsDesired: 8, endpointsAdded: 3, endpointsRemoved: 1, slicesActual: 4, slicesDesired: 2 },
  topology: 'Disabled',
  trafficDistribution: '',
  ...more,
})
const create = () => {
  const registry = new Registry()
  return { ...createSliceMetrics(registry, latest), text: () => registry.metrics() }
}
const lines = async (metrics: ReturnType<typeof create>): Promise<string[]> =>
  (await metrics.text()).split('\n').map((line) => line.replace('endpoint_slice_controller_', ''))

describe('the metrics of slices', () => {
  it('have the names and labels of the in-tree controller', async () => {
    const metrics = create()
    metrics.synced(KEY, WRITES, plan({ trafficDistribution: 'PreferSameZone' }))
    metrics.failed('stale')
    metrics.failed('error')
    expect(await lines(metrics)).toEqual(
      expect.arrayContaining([
        'endpoints_added_per_sync_bucket{le="2"} 0',
        'endpoints_added_per_sync_bucket{le="4"} 1',
        'endpoints_added_per_sync_bucket{le="32768"} 1',
        'endpoints_removed_per_sync_sum 1',
        'endpoints_desired 8',
        'num_endpoint_slices 4',
        'desired_endpoint_slices 2',
        'changes{operation="create"} 2',
        'changes{operation="update"} 1',
        'changes{operation="delete"} 4',
        'syncs{result="success"} 1',
        'syncs{result="stale"} 1',
        'syncs{result="error"} 1',
        'endpointslices_changed_per_sync_sum{topology="Disabled",traffic_distribution="PreferSameZone"} 7',
        'services_count_by_traffic_distribution{traffic_distribution="PreferSameZone"} 1',
      ]),
    )
  })

  it('add up over Services and clusters, each counted once however often it is synced', async () => {
    const metrics = create()
    metrics.synced(KEY, WRITES, plan())
    metrics.synced(KEY, WRITES, plan())
    metrics.synced({ ...KEY, cluster: 'b' }, WRITES, plan())
    const found = await lines(metrics)
    expect(found).toEqual(expect.arrayContaining(['endpoints_desired 16', 'num_endpoint_slices 8']))
    // They have no traffic distribution.
    expect(found.filter((line) => /^services_count.*\{/.test(line))).toEqual([])
  })

  it('follow a Service by the parts of it that are synced, once it was counted as a whole', async () => {
    const metrics = create()
    const part = (endpointsDesired: number): SyncPlan => {
      const stats = {
        endpointsDesired,
        endpointsAdded: 3,
        endpointsRemoved: 1,
        slicesActual: 0,
        slicesDesired: 0,
      }
      return plan({ stats, isPart: true })
    }
    metrics.synced(KEY, WRITES, part(2))
    expect(await lines(metrics)).toEqual(
      expect.arrayContaining(['endpoints_desired 0', 'num_endpoint_slices 0']),
    )
    metrics.synced(KEY, WRITES, plan())
    metrics.synced(KEY, WRITES, part(2))
    metrics.synced(KEY, WRITES, part(-3))
    expect(await lines(metrics)).toEqual(
      expect.arrayContaining([
        'endpoints_desired 7',
        'num_endpoint_slices 4',
        'desired_endpoint_slices 2',
        'endpoints_added_per_sync_count 4',
        'changes{operation="create"} 8',
        'syncs{result="success"} 4',
      ]),
    )
  })

  it('count a Service where its traffic is spread by now, and where it was no more', async () => {
    const metrics = create()
    for (const trafficDistribution of ['PreferSameZone', 'PreferSameNode', 'PreferSameNode'])
      metrics.synced(KEY, WRITES, plan({ trafficDistribution }))
    const count = 'services_count_by_traffic_distribution'
    expect(await lines(metrics)).toEqual(
      expect.arrayContaining([
        `${count}{traffic_distribution="PreferSameZone"} 0`,
        `${count}{traffic_distribution="PreferSameNode"} 1`,
      ]),
    )
    metrics.synced(KEY, WRITES, plan())
    expect(await lines(metrics)).toContain(`${count}{traffic_distribution="PreferSameNode"} 0`)
  })

  it('forget a Service that is gone or no longer managed, of which no part is taken for the whole', async () => {
    const metrics = create()
    metrics.synced(KEY, WRITES, plan({ trafficDistribution: 'PreferClose' }))
    metrics.synced(KEY, { created: 0, updated: 0, deleted: 4 })
    expect(await lines(metrics)).toEqual(
      expect.arrayContaining([
        'endpoints_desired 0',
        'num_endpoint_slices 0',
        'changes{operation="delete"} 8',
        'services_count_by_traffic_distribution{traffic_distribution="PreferClose"} 0',
      ]),
    )
    metrics.synced(KEY, WRITES, plan({ isPart: true }))
    expect(await lines(metrics)).toContain('endpoints_desired 0')
  })
})
