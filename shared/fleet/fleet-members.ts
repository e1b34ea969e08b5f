import type { ApiClient } from '../kubernetes/index.ts'
import { isUnreachable } from '../reconciler/index.ts'
import { type ClusterSet, type ClusterSetMember, exportsServices, holdsImports } from './cluster-set.ts'
import type { FleetMembers } from './fleet-state.ts'
import { createMcsVersions } from './mcs-version.ts'
import type { FleetCluster } from './read-fleet.ts'

/** A cluster's place in its set is in doubt, so that it cannot be told what it exports. */
export class ClusterSetMemberError extends Error {
  override readonly name = 'ClusterSetMemberError'
}

/** Finds the clusters of a set, and remembers for a while what they serve. */
export interface FleetMemberFinder {
  /** Finds the members that serve the API; others neither export nor import. @throws KubernetesError */
  of(set: ClusterSet, signal: AbortSignal): Promise<FleetMembers>
  /** Forgets the version that a member serves, as a call has shown that it serves another one by now. */
  forgetVersion(set: ClusterSet, id: string): void
}

/**
 * @param clientOf the client of a cluster by its name
 * @param now milliseconds since the epoch
 */
export function createFleetMembers(
  clientOf: (cluster: string) => ApiClient,
  now: () => number,
): FleetMemberFinder {
  const versions = createMcsVersions(now)

  async function clusterOf(member: ClusterSetMember, signal: AbortSignal): Promise<FleetCluster | undefined> {
    const client = clientOf(member.cluster)
    try {
      const version = await versions.of(client, signal)
      return version && { member, client, version }
    } catch (error) {
      signal.throwIfAborted()
      // What is read of it fails as well, and says why.
      if (isUnreachable(error)) return { member, client, version: 'v1beta1' }
      throw error
    }
  }

  return {
    async of({ members }, signal) {
      const refused = members.flatMap(({ id, problem }) =>
        problem === undefined ? [] : [[id, new ClusterSetMemberError(problem)] as const],
      )
      const usable = members.filter(({ problem }) => problem === undefined)
      const found = await Promise.all(usable.map((member) => clusterOf(member, signal)))
      const clusters = found.filter((cluster) => cluster !== undefined)
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
