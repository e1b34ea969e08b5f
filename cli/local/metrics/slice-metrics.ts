import { exponentialBuckets, type Registry } from 'prom-client'
import type { ServiceKey } from '../../../shared/changes/index.ts'
import type { SyncPlan } from '../../../shared/reconciler/index.ts'
import type { NewLatest } from '../latest-by-key.ts'
import { metricsOf } from './metrics-of.ts'

/** Share of one Service in the gauges. */
interface Counted {
  readonly endpoints: number
  readonly slices: number
  readonly desired: number
  readonly trafficDistribution: string
}

/**
 * Metrics with the names and labels of the in-tree EndpointSlice controller, for dashboards and alerts that
 * know those. They hold four values for each managed Service.
 */
export function createSliceMetrics(registry: Registry, latest: NewLatest) {
  const { counter, filledGauge, histogram } = metricsOf(registry)
  const counted = latest<Counted>()
  /** Those of before as well: their number is 0 then. */
  const distributions = new Set<string>()
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
  function total(name: string, help: string, of: (counted: Counted) => number): void {
    filledGauge(name, help, [], (gauge) =>
      gauge.set(counted.values().reduce((sum, service) => sum + of(service), 0)),
    )
  }
  total(
    'endpoint_slice_controller_endpoints_desired',
    'Endpoints that the Services should have',
    ({ endpoints }) => endpoints,
  )
  total('endpoint_slice_controller_num_endpoint_slices', 'EndpointSlices that exist', ({ slices }) => slices)
  total(
    'endpoint_slice_controller_desired_endpoint_slices',
    'EndpointSlices that would suffice if all were full',
    ({ desired }) => desired,
  )
  filledGauge(
    'endpoint_slice_controller_services_count_by_traffic_distribution',
    'Services by their traffic distribution',
    ['traffic_distribution'],
    (gauge) => {
      for (const name of distributions) gauge.set({ traffic_distribution: name }, 0)
      for (const { trafficDistribution: name } of counted.values())
        if (name !== '') gauge.inc({ traffic_distribution: name })
    },
  )
  const changes = counter('endpoint_slice_controller_changes', 'EndpointSlices written', ['operation'])
  const changedPerSync = histogram(
    'endpoint_slice_controller_endpointslices_changed_per_sync',
    'EndpointSlices written by a sync of a Service',
    { labelNames: ['topology', 'traffic_distribution'] },
  )
  const syncs = counter('endpoint_slice_controller_syncs', 'Syncs of Services', ['result'])

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
      if (planned === undefined) return counted.set(key, undefined)
      const { stats, topology, trafficDistribution } = planned
      added.observe(stats.endpointsAdded)
      removed.observe(stats.endpointsRemoved)
      const labels = { topology, traffic_distribution: trafficDistribution }
      changedPerSync.observe(labels, created + updated + deleted)
      const before = counted.get(key)
      if (planned.isPart) {
        // What this process has never seen as a whole it does not count.
        if (before !== undefined)
          counted.set(key, { ...before, endpoints: before.endpoints + stats.endpointsDesired })
        return
      }
      if (trafficDistribution !== '') distributions.add(trafficDistribution)
      counted.set(key, {
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
