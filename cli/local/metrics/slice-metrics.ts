import { Counter, exponentialBuckets, Gauge, Histogram, type Registry } from 'prom-client'
import { type KeyText, keyText, type ServiceKey } from '../../../shared/changes/index.ts'
import type { SyncPlan } from '../../../shared/reconciler/index.ts'

/**
 * Metrics with the names and labels of the in-tree EndpointSlice controller, for dashboards and alerts that
 * know those.
 */
interface SliceMetrics {
  /** Counts a Service that was brought up to date. `planned` is absent if it is gone or not managed. */
  synced(
    key: ServiceKey,
    writes: Readonly<Record<'created' | 'updated' | 'deleted', number>>,
    planned?: SyncPlan,
  ): void
  /**
   * Counts a sync that failed and is retried. `stale`: the slices kept changing meanwhile; `error`:
   * anything else.
   */
  failed(result: 'stale' | 'error'): void
}

/** Share of one Service in the gauges. */
interface Counted {
  readonly endpoints: number
  readonly slices: number
  readonly desired: number
  readonly trafficDistribution: string
}

const NOTHING: Counted = { endpoints: 0, slices: 0, desired: 0, trafficDistribution: '' }
/** 2, 4, … 32768. */
const ENDPOINT_BUCKETS = exponentialBuckets(2, 2, 15)
const PREFIX = 'endpoint_slice_controller_'

/**
 * Creates the metrics of slices. They hold four values for each managed Service, and cost the same at every
 * sync.
 */
export function createSliceMetrics(registry: Registry): SliceMetrics {
  const registers = [registry]
  const counted = new Map<KeyText, Counted>()
  const perSync = (name: string, help: string): Histogram =>
    new Histogram({ name: PREFIX + name, help, buckets: ENDPOINT_BUCKETS, registers })
  const gauge = (name: string, help: string): Gauge => new Gauge({ name: PREFIX + name, help, registers })

  const added = perSync('endpoints_added_per_sync', 'Endpoints added by a sync of a Service')
  const removed = perSync('endpoints_removed_per_sync', 'Endpoints removed by a sync of a Service')
  const endpoints = gauge('endpoints_desired', 'Endpoints that the Services should have')
  const slices = gauge('num_endpoint_slices', 'EndpointSlices that exist')
  const desired = gauge('desired_endpoint_slices', 'EndpointSlices that would suffice if all were full')
  const distributions = new Gauge({
    name: `${PREFIX}services_count_by_traffic_distribution`,
    help: 'Services by their traffic distribution',
    labelNames: ['traffic_distribution'],
    registers,
  })
  const changes = new Counter({
    name: `${PREFIX}changes`,
    help: 'EndpointSlices written',
    labelNames: ['operation'],
    registers,
  })
  const changedPerSync = new Histogram({
    name: `${PREFIX}endpointslices_changed_per_sync`,
    help: 'EndpointSlices written by a sync of a Service',
    labelNames: ['topology', 'traffic_distribution'],
    registers,
  })
  const syncs = new Counter({
    name: `${PREFIX}syncs`,
    help: 'Syncs of Services',
    labelNames: ['result'],
    registers,
  })

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
    synced(key, { created, updated, deleted }, planned) {
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
    failed: (result) => syncs.inc({ result }),
  }
}
