import { type ApiClient, readClusterUid } from '../../kubernetes/index.ts'
import type { Log } from '../../telemetry/index.ts'
import { type ClusterSet, type ClusterSetMember, exportsServices, holdsImports } from '../cluster-set.ts'
import type { FleetMembers } from './fleet-state.ts'
import { createMcsVersions } from './mcs-version.ts'
import type { FleetCluster } from './read-fleet.ts'

/** A cluster's place in its set is uncertain, so what it exports is unknown. */
export class ClusterSetMemberError extends Error {
  override readonly name = 'ClusterSetMemberError'
}

/** Finds the clusters of a set, and remembers for a while what they serve. */
interface FleetMemberFinder {
  /**
   * Finds the members that serve the API, and those of which nobody can say so; others are left out. Of two
   * that are one cluster, by the uid of its namespace `kube-system`, the first one alone is a member.
   */
  of(set: ClusterSet, signal: AbortSignal): Promise<FleetMembers>
  /** Forgets the version that a member serves, as a call has shown that it serves another one by now. */
  forgetVersion(set: ClusterSet, id: string): void
}

interface FoundMember {
  readonly cluster: FleetCluster
  /** Uid of its namespace `kube-system`, where that may be read. */
  readonly uid: string | undefined
}

/**
 * @param clientOf the client of a cluster by its name
 * @param now milliseconds since the epoch
 */
export function createFleetMembers(
  clientOf: (cluster: string) => ApiClient,
  now: () => number,
  logger: Log,
): FleetMemberFinder {
  const versions = createMcsVersions(now)
  const uids = createClusterUids(now, logger)
  /** Names of clusters that were left out, as another member is the same. */
  const reported = new Set<string>()

  /** Finds a member; undefined where it does not serve the API, and an entry of `refused` where it fails. */
  async function clusterOf(
    member: ClusterSetMember,
    signal: AbortSignal,
  ): Promise<FoundMember | readonly [id: string, error: unknown] | undefined> {
    const { id, problem } = member
    if (problem !== undefined) return [id, new ClusterSetMemberError(problem)]
    const client = clientOf(member.cluster)
    try {
      const version = await versions.of(client, signal)
      return version && { cluster: { member, client, version }, uid: await uids.of(client, signal) }
    } catch (error) {
      signal.throwIfAborted()
      return [id, error]
    }
  }

  /** Leaves out those that are the same cluster as an earlier one. */
  function distinct(set: string, all: readonly FoundMember[]): FleetCluster[] {
    const isMember = ({ cluster: { member }, uid }: FoundMember): boolean => {
      const same = uid === undefined ? undefined : all.find((each) => each.uid === uid)
      const first = same?.cluster.member ?? member
      if (first === member) {
        reported.delete(member.cluster)
        return true
      }
      if (!reported.has(member.cluster))
        logger.error({ clusterSet: set, cluster: member.cluster, other: first.cluster, uid }, SAME)
      reported.add(member.cluster)
      return false
    }
    return all.filter(isMember).map(({ cluster }) => cluster)
  }

  return {
    async of({ name, members }, signal) {
      const found = await Promise.all(members.map((member) => clusterOf(member, signal)))
      const refused = found.flatMap((each) => (each === undefined || 'cluster' in each ? [] : [each]))
      const clusters = distinct(
        name,
        found.flatMap((each) => (each !== undefined && 'cluster' in each ? [each] : [])),
      )
      return {
        importing: clusters.filter(({ member }) => holdsImports(member)),
        exporting: clusters.filter(({ member }) => exportsServices(member)),
        refused: new Map(refused),
      }
    },
    forgetVersion({ members }, id) {
      const member = members.find((each) => each.id === id)
      if (member !== undefined) versions.forget(clientOf(member.cluster))
    },
  }
}

const UNNAMED =
  'the namespace kube-system may not be read: a second name of this cluster would not be noticed; to grant get on it, run in that cluster: sliceflow rbac --fleet | kubectl apply -f -'
const SAME = 'two clusters of the set are one: it takes part in the set under the first name alone'

/** Time for which a uid is remembered, in milliseconds: a name may lead to another cluster some day. */
const REMEMBERED_MS = 300_000

/** Remembers for a while who clusters are. One that does not say it is nobody else. */
function createClusterUids(
  now: () => number,
  logger: Log,
): {
  of(client: ApiClient, signal: AbortSignal): Promise<string | undefined>
} {
  const known = new WeakMap<ApiClient, { readonly uid: string | undefined; readonly until: number }>()
  return {
    async of(client, signal) {
      const kept = known.get(client)
      if (kept !== undefined && now() < kept.until) return kept.uid
      try {
        const uid = await readClusterUid(client, {
          signal,
          onForbidden(err) {
            if (kept === undefined) logger.warn({ cluster: client.cluster, err }, UNNAMED)
          },
        })
        known.set(client, { uid, until: now() + REMEMBERED_MS })
        return uid
      } catch {
        signal.throwIfAborted()
        // What is read of it fails as well, and says why.
        return kept?.uid
      }
    },
  }
}
