import type { ClusterClients } from '../../shared/clusters/index.ts'
import {
  type ClusterSet,
  clusterSetOf,
  createFleetReconciler,
  type FleetReconcilerOptions,
} from '../../shared/fleet/index.ts'
import type { Reconcile } from '../../shared/queue/consumer/index.ts'
import type { KeyMessage } from '../../shared/queue/index.ts'
import { createReconciler, type ReconcilerOptions } from '../../shared/reconciler/index.ts'

export interface DeployedReconcileOptions {
  readonly clusters: Pick<ClusterClients, 'meet' | 'meetAll'>
  readonly sets: () => readonly ClusterSet[]
  readonly common: Omit<ReconcilerOptions, 'recorder'> & Omit<FleetReconcilerOptions, 'sets'>
  readonly recorder: ReconcilerOptions['recorder']
}

/** Age of what is known of the clusters of a set, in milliseconds … */
const KNOWN_MS = 60_000
/** … and where the relay knows of others, one of the two is late. */
const DOUBTED_MS = 5_000

/**
 * Makes the function that keys are handed to, once their clusters are known: those of cluster sets go to the
 * reconciler of these, all others to that of Services.
 */
export function createDeployedReconcile({
  clusters,
  sets,
  common,
  recorder,
}: DeployedReconcileOptions): Reconcile {
  const services = createReconciler({ ...common, recorder })
  const fleet = createFleetReconciler({ ...common, sets })

  /** Reports whether the relay follows other clusters in the set than those that are known here. */
  function isDoubted({ fleetVersions, ...key }: KeyMessage): boolean {
    const set = sets().find(({ name }) => name === clusterSetOf(key))
    if (set === undefined) return true
    if (fleetVersions === undefined) return false
    const names = set.members.filter(({ problem }) => problem === undefined).map(({ cluster }) => cluster)
    return (
      names.length !== Object.keys(fleetVersions).length || names.some((name) => !(name in fleetVersions))
    )
  }

  return async (message, context) => {
    if (clusterSetOf(message) === undefined) {
      await clusters.meet(message.cluster)
      return services(message, context)
    }
    await clusters.meetAll(KNOWN_MS)
    if (isDoubted(message)) await clusters.meetAll(DOUBTED_MS)
    return fleet(message, context)
  }
}
