import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { fleetKey } from '../../../shared/cluster-sets/index.ts'
import { LatestByKey } from '../latest-by-key.ts'
import { createFleetMetrics } from './fleet-metrics.ts'

const latest = <Value>() => new LatestByKey<Value>()

const WRITTEN = { created: 1, updated: 0, deleted: 0, attempts: 1 }
const FLEET = { exports: 2, imports: 3, isInConflict: false, blocked: 0, leftOut: 0 }

it('the metrics of cluster sets tell how each Service is by its last sync, with the set as their only label', async () => {
  const registry = new Registry()
  const count = createFleetMetrics(registry, latest, () => Date.parse('2026-03-01T12:00:04Z'))
  const key = (service: string, set = 'prod') => fleetKey(set, 'shop', service)
  count({ ...WRITTEN, key: key('web'), fleet: { ...FLEET, isInConflict: true, blocked: 1 } })
  count({ ...WRITTEN, key: { ...key('web'), triggerTime: '2026-03-01T12:00:01Z' }, fleet: FLEET })
  count({ ...WRITTEN, key: key('api'), fleet: { ...FLEET, isInConflict: true } })
  count({ ...WRITTEN, key: key('api', 'dev'), fleet: { ...FLEET, leftOut: 7 } })
  count({ ...WRITTEN, key: { cluster: 'eu-1', namespace: 'shop', service: 'web' } })
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('sliceflow_'))
  expect(lines.filter((line) => !line.includes('_bucket'))).toEqual([
    'sliceflow_fleet_services{cluster_set="dev"} 1',
    'sliceflow_fleet_services{cluster_set="prod"} 2',
    'sliceflow_fleet_exports{cluster_set="dev"} 2',
    'sliceflow_fleet_exports{cluster_set="prod"} 4',
    'sliceflow_fleet_imports{cluster_set="dev"} 3',
    'sliceflow_fleet_imports{cluster_set="prod"} 6',
    'sliceflow_fleet_conflicts{cluster_set="dev"} 0',
    'sliceflow_fleet_conflicts{cluster_set="prod"} 1',
    'sliceflow_fleet_blocked_imports{cluster_set="dev"} 0',
    'sliceflow_fleet_blocked_imports{cluster_set="prod"} 0',
    'sliceflow_fleet_left_out_endpoints{cluster_set="dev"} 7',
    'sliceflow_fleet_left_out_endpoints{cluster_set="prod"} 0',
    'sliceflow_fleet_event_to_applied_seconds_sum{cluster_set="prod"} 3',
    'sliceflow_fleet_event_to_applied_seconds_count{cluster_set="prod"} 1',
  ])
  expect(lines).toContain('sliceflow_fleet_event_to_applied_seconds_bucket{le="3",cluster_set="prod"} 1')
})
