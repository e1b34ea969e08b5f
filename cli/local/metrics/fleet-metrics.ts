import type { Registry } from 'prom-client'
import { clusterSetOf } from '../../../shared/cluster-sets/index.ts'
import { delayOf, type FleetSummary, type ReconcileOutcome } from '../../../shared/reconciler/index.ts'
import type { LatestByKey, NewLatest } from '../latest-by-key.ts'
import { metricsOf } from './metrics-of.ts'

/** State of a cluster set, from the last sync of each of its Services: what the {@link GAUGES} say. */
type FleetTotal = { readonly name: string } & Readonly<Record<keyof typeof GAUGES, number>>

export function createFleetTotals(latest: NewLatest) {
  const sets = new Map<string, LatestByKey<FleetSummary>>()
  return {
    /** Takes in the outcome of a reconcile; those of Services of one cluster change nothing. */
    reconciled({ key, fleet }: Pick<ReconcileOutcome, 'key' | 'fleet'>): void {
      const name = clusterSetOf(key)
      if (name === undefined || fleet === undefined) return
      const services = sets.get(name) ?? latest<FleetSummary>()
      sets.set(name, services)
      services.set(key, fleet.exports + fleet.imports + fleet.blocked === 0 ? undefined : fleet)
    },
    /** Sums it up by set, in the order of names. */
    read: (): FleetTotal[] =>
      [...sets]
        .map(([name, services]) => totalOf(name, services.values()))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

export function totalOf(name: string, services: readonly FleetSummary[]): FleetTotal {
  const sum = (of: (one: FleetSummary) => number): number =>
    services.reduce((total, service) => total + of(service), 0)
  return {
    name,
    services: services.length,
    exports: sum(({ exports }) => exports),
    imports: sum(({ imports }) => imports),
    conflicts: sum(({ isInConflict }) => (isInConflict ? 1 : 0)),
    blocked: sum(({ blocked }) => blocked),
    leftOut: sum(({ leftOut }) => leftOut),
  }
}

/** Buckets in seconds, as Kubernetes writes times in whole ones; one is the alarm's target of 10 s. */
export const DELAY_BUCKETS = [0.5, 1, 2, 3, 5, 10, 20, 30, 60, 120, 300, 600]

const GAUGES = {
  services: [
    'sliceflow_fleet_services',
    'Services of a cluster set that a cluster exports, or that are imported still',
  ],
  exports: ['sliceflow_fleet_exports', 'Valid ServiceExports of a cluster set'],
  imports: ['sliceflow_fleet_imports', 'ServiceImports of a cluster set in all of its clusters'],
  conflicts: ['sliceflow_fleet_conflicts', 'Services of a cluster set whose exports differ'],
  blocked: [
    'sliceflow_fleet_blocked_imports',
    'Imports of a cluster set that are not written, as others have their names or a guard holds them',
  ],
  leftOut: [
    'sliceflow_fleet_left_out_endpoints',
    'Exported endpoints of a cluster set that are imported nowhere, as their addresses or other fields are refused or malformed',
  ],
} as const

/**
 * Creates the metrics of cluster sets. All begin with `sliceflow_fleet_`; their only label is the set.
 * @param now milliseconds since the epoch
 * @returns what to call with the result of every reconcile
 */
export function createFleetMetrics(
  registry: Registry,
  latest: NewLatest,
  now: () => number = Date.now,
): (outcome: ReconcileOutcome) => void {
  const { filledGauge, histogram } = metricsOf(registry)
  const labelNames = ['cluster_set']
  const totals = createFleetTotals(latest)
  for (const [name, [metric, help]] of Object.entries(GAUGES))
    filledGauge(metric, help, labelNames, (gauge) => {
      for (const total of totals.read())
        gauge.set({ cluster_set: total.name }, total[name as keyof typeof GAUGES])
    })
  const delays = histogram(
    'sliceflow_fleet_event_to_applied_seconds',
    'From the change of an object in one cluster, which Kubernetes gives in whole seconds, to the slices of all',
    { labelNames, buckets: DELAY_BUCKETS },
  )
  return (outcome) => {
    totals.reconciled(outcome)
    const set = clusterSetOf(outcome.key)
    const seconds = delayOf(outcome, now())
    if (set !== undefined && seconds !== undefined) delays.observe({ cluster_set: set }, seconds)
  }
}
