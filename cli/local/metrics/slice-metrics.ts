import { exponentialBuckets, type Registry } from 'prom-client'
import { type KeyText, keyText, type ServiceKey } from '../../../shared/changes/index.ts'
import type { SyncPlan } from '../../../shared/reconciler/index.ts'
import { metricsOf } from './metrics-of.ts'

/** Share of one Service in the gauges. */
interface Counted {
  readonly endpoints: number
  readonly slices: number
  readonly desired: number
  readonly trafficDistribution: string
}

const NOTHING: Counted = { endpoints: 0, slices: 0, desired: 0, trafficDistribution: '' }

/**
 * Metrics with the names and labels of the in-tree EndpointSlice controller, for dashboards and alerts that
 * know those. They hold four values for each managed Service, and cost the same at every sync.
 */
export function createSliceMetrics(registry: Registry) {
  const { counter, gauge, histogram } = metricsOf(registry)
  const counted = new Map<KeyText, Counted>()
  // 2, 4, … 32768.
  const buckets = exponentialBuckets(2, 2, 15)

  const added = histogram(
    'endpoint_slice_controller_endpoints_added_per_sync',
    'Endpoints added by a sync of a Service',
    { buckets },
  )
  const removed = histogram(
    'endpoint_slice_controller_endpoints_removed_per_sync',
    'Endpoints removed by a sync of a Service',
    {
      buckets,
    },
  )
  const endpoints = gauge(
    'endpoint_slice_controller_endpoints_desired',
    'Endpoints that the Services should have',
  )
  const slices = gauge('endpoint_slice_controller_num_endpoint_slices', 'EndpointSlices that exist')
  const desired = gauge(
    'endpoint_slice_controller_desired_endpoint_slices',
    'EndpointSlices that would suffice if all were full',
  )
  const distributions = gauge(
    'endpoint_slice_controller_services_count_by_traffic_distribution',
    'Services by their traffic distribution',
    ['traffic_distribution'],
  )
  const changes = counter('endpoint_slice_controller_changes', 'EndpointSlices written', ['operation'])
  const changedPerSync = histogram(
    'endpoint_slice_controller_endpointslices_changed_per_sync',
    'EndpointSlices written by a sync of a Service',
    { labelNames: ['topology', 'traffic_distribution'] },
  )
  const syncs = counter('endpoint_slice_controller_syncs', 'Syncs of Services', ['result'])

  function count(key: KeyText, after: Counted): void {
    const before = counted.get(key) ?? NOTHING
    endpoints.inc(after.endpoints - before.endpoints)
    slices.inc(after.slices - before.slices)
    desired.inc(after.desired - before.desired)
    if (before.trafficDistribution !== '')
      distributions.dec({ traffic_distribution: before.trafficDistribution })
    if (after.trafficDistribution !== '')
      distributions.inc({ traffic_distribution: after.trafficDistribution })
    if (after === NOTHING) counted.delete(key)
    else counted.set(key, after)
  }

  return {
    /** Counts a Service that was brought up to date. `planned` is absent if it is gone or not managed. */
    synced(
      key: ServiceKey,
      { created, updated, deleted }: Readonly<Record<'created' | 'updated' | 'deleted', number>>,
      planned?: SyncPlan,
    ) {
      syncs.inc({ result: 'success' })
      changes.inc({ operation: 'create' }, created)
      changes.inc({ operation: 'update' }, updated)
      changes.inc({ operation: 'delete' }, deleted)
      if (planned === undefined) return count(keyText(key), NOTHING)
      const { stats, topology, trafficDistribution } = planned
      added.observe(stats.endpointsAdded)
      removed.observe(stats.endpointsRemoved)
      const labels = { topology, traffic_distribution: trafficDistribution }
      changedPerSync.observe(labels, created + updated + deleted)
      const before = counted.get(keyText(key))
      if (planned.isPart) {
        // What this process has never seen as a whole it does not count.
        if (before !== undefined)
          count(keyText(key), { ...before, endpoints: before.endpoints + stats.endpointsDesired })
        return
      }
      count(keyText(key), {
        endpoints: stats.endpointsDesired,
        slices: stats.slicesActual,
        desired: stats.slicesDesired,
        trafficDistribution,
      })
    },
    /** Counts a sync that is retried. `stale`: the slices kept changing meanwhile; `error`: it failed. */
    failed: (result: 'stale' | 'error'): void => syncs.inc({ result }),
  }
}
