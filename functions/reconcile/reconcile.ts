import { type ClusterSet, clusterSetOf, membersDigest } from '../../shared/cluster-sets/index.ts'
import type { ClusterClients } from '../../shared/clusters/index.ts'
import type { FleetReconcilerOptions } from '../../shared/fleet/index.ts'
import type { Reconcile } from '../../shared/queue/consumer/index.ts'
import type { KeyMessage } from '../../shared/queue/index.ts'
import { createReconciler, type ReconcilerOptions } from '../../shared/reconciler/index.ts'
import { NO_CLUSTER_SETS, type Settings } from '../../shared/settings/index.ts'
import { isRecent, once } from '../../shared/values/index.ts'

interface DeployedReconcileOptions {
  readonly clusters: Pick<ClusterClients, 'meet' | 'meetAll'>
  readonly sets: () => readonly ClusterSet[]
  readonly common: Omit<ReconcilerOptions, 'recorder'> &
    Omit<FleetReconcilerOptions, 'sets'> & { readonly settings: Settings }
  readonly recorder: ReconcilerOptions['recorder']
}

/** Age of what is known of the clusters of a set, in milliseconds. */
const KNOWN_MS = 60_000
/**
 * Searches within that time that may show nothing of what a relay knows: of two relays that disagree, one
 * would have each of its messages answered with a search.
 */
const VAIN_SEARCHES = 2

/**
 * Makes the function that keys are handed to, once their clusters are known: those of cluster sets go to the
 * reconciler of these, all others to that of Services.
 *
 * Modules that few deployments need are loaded here by the settings, before the first key. Where one cannot
 * be loaded the function fails with its event, and tries again with the next one.
 */
export async function createDeployedReconcile({
  clusters,
  sets,
  common,
  recorder,
}: DeployedReconcileOptions): Promise<Reconcile> {
  const services = createReconciler({ ...common, recorder })
  // Also of a key of an unknown set, for which there is a message.
  const loadFleet = once(async () => {
    const { createFleetReconciler } = await import('../../shared/fleet/reconcile-fleet.ts')
    return createFleetReconciler({ ...common, sets })
  })
  if (common.settings.clusterSets !== NO_CLUSTER_SETS) await loadFleet()

  /** Digests of sets as a relay says them that is late: a search has shown other members. */
  const late = new Map<string, string>()
  /** Times of the last searches that have shown no such members, by set. */
  const vain = new Map<string, readonly number[]>()

  /** Discovers clusters once more where the relay knows of other members: one of the two is late. */
  async function meetMembers(message: KeyMessage): Promise<void> {
    await clusters.meetAll(KNOWN_MS)
    const { membersDigest: sent } = message
    const name = clusterSetOf(message)
    const needsFullSync = (): boolean => {
      const set = sets().find((each) => each.name === name)
      return set !== undefined && sent !== undefined && sent !== membersDigest(set)
    }
    if (name === undefined || sent === undefined) return
    if (!needsFullSync()) late.delete(name)
    else if (late.get(name) !== sent) {
      const recent = (vain.get(name) ?? []).filter((at) => isRecent(at, KNOWN_MS))
      if (recent.length >= VAIN_SEARCHES) return
      await clusters.meetAll(0)
      if (!needsFullSync()) return
      late.set(name, sent)
      vain.set(name, [...recent, Date.now()])
    }
  }

  return async (message, context) => {
    if (clusterSetOf(message) === undefined) {
      await clusters.meet(message.cluster)
      return services(message, context)
    }
    await meetMembers(message)
    return (await loadFleet())(message, context)
  }
}
