import { Gauge, Histogram, type Registry } from 'prom-client'
import { type KeyText, keyText } from '../changes/index.ts'
import { clusterSetOf } from '../cluster-sets/index.ts'
import { delayOf, type FleetSummary, type ReconcileOutcome } from '../reconciler/index.ts'

/** State of a cluster set, from the last sync of each of its Services. */
export interface FleetTotal {
  readonly name: string
  /** Services that a cluster exports, or that are imported still. */
  readonly services: number
  readonly exports: number
  /** ServiceImports in all clusters. */
  readonly imports: number
  /** Services whose exports differ. */
  readonly conflicts: number
  /** Imports that cannot be written, as others have their names or a guard holds them. */
  readonly blocked: number
  /** Endpoints that are exported and imported nowhere, as they are refused or malformed. */
  readonly leftOut: number
}

/** Remembers one entry a Service of a set. */
interface FleetTotals {
  /** Takes in the outcome of a reconcile; those of Services of one cluster change nothing. */
  reconciled(outcome: Pick<ReconcileOutcome, 'key' | 'fleet'>): void
  /** Sums it up by set, in the order of names. */
  read(): readonly FleetTotal[]
}

export function createFleetTotals(): FleetTotals {
  const sets = new Map<string, Map<KeyText, FleetSummary>>()
  return {
    reconciled({ key, fleet }) {
      const name = clusterSetOf(key)
      if (name === undefined || fleet === undefined) return
      const services = sets.get(name) ?? new Map<KeyText, FleetSummary>()
      sets.set(name, services)
      if (fleet.exports + fleet.imports + fleet.blocked === 0) services.delete(keyText(key))
      else services.set(keyText(key), fleet)
    },
    read: () =>
      [...sets]
        .map(([name, services]) => totalOf(name, [...services.values()]))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

function totalOf(name: string, services: readonly FleetSummary[]): FleetTotal {
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

/**
 * Buckets in seconds, as Kubernetes writes times in whole ones; the alarm's target of 10 s is one of them.
 */
const DELAY_BUCKETS = [0.5, 1, 2, 3, 5, 10, 20, 30, 60, 120, 300, 600]

const GAUGES: readonly (readonly [name: Exclude<keyof FleetTotal, 'name'>, metric: string, help: string])[] =
  [
    ['services', 'services', 'Services of a cluster set that a cluster exports, or that are imported still'],
    ['exports', 'exports', 'Valid ServiceExports of a cluster set'],
    ['imports', 'imports', 'ServiceImports of a cluster set in all of its clusters'],
    ['conflicts', 'conflicts', 'Services of a cluster set whose exports differ'],
    [
      'blocked',
      'blocked_imports',
      'Imports of a cluster set that are not written, as others have their names or a guard holds them',
    ],
    [
      'leftOut',
      'left_out_endpoints',
      'Exported endpoints of a cluster set that are imported nowhere, as their addresses or other fields are refused or malformed',
    ],
  ]

/**
 * Creates the metrics of cluster sets. All begin with `sliceflow_fleet_`; their only label is the set.
 * @param now milliseconds since the epoch
 * @returns what to call with the result of every reconcile
 */
export function createFleetMetrics(
  registry: Registry,
  now: () => number = Date.now,
): (outcome: ReconcileOutcome) => void {
  const registers = [registry]
  const labelNames = ['cluster_set']
  const totals = createFleetTotals()
  for (const [name, metric, help] of GAUGES)
    new Gauge({
      name: `sliceflow_fleet_${metric}`,
      help,
      labelNames,
      registers,
      collect() {
        this.reset()
        for (const total of totals.read()) this.set({ cluster_set: total.name }, total[name])
      },
    })
  const delays = new Histogram({
    name: 'sliceflow_fleet_event_to_applied_seconds',
    help: 'From the change of an object in one cluster, which Kubernetes gives in whole seconds, to the slices of all',
    labelNames,
    buckets: DELAY_BUCKETS,
    registers,
  })
  return (outcome) => {
    totals.reconciled(outcome)
    const set = clusterSetOf(outcome.key)
    const seconds = delayOf(outcome, now())
    if (set !== undefined && seconds !== undefined) delays.observe({ cluster_set: set }, seconds)
  }
}
