import {
  type Change,
  ClusterHistory,
  type ClusterVersions,
  countVersions,
  FLEET_VERSIONS,
  type FleetVersions,
  type ServiceKey,
} from '../../changes/index.ts'
import type { ClusterSet } from '../../cluster-sets/index.ts'
import { createMemberIndex, keysOf, type MemberIndex } from './member-index.ts'
import { createKnownServices } from './member-tables.ts'
import { nameText } from './watched-metadata.ts'

export type FleetIndex = ReturnType<typeof createFleetIndex>

/**
 * Knows of the clusters of a set which Services are exported or imported anywhere, and the versions of all
 * that is behind them. Of objects it keeps names and versions: metadata is enough.
 */
export function createFleetIndex(set: ClusterSet) {
  const known = createKnownServices()
  const selecting = createKnownServices()
  const history = new ClusterHistory()
  const members: ReadonlyMap<string, MemberIndex> = new Map(
    set.members.map(
      (member) => [member.cluster, createMemberIndex(set, member, { known, selecting, history })] as const,
    ),
  )
  return {
    /** History of the versions of all members: one that goes back renews it. */
    history,
    /** Members by cluster, in the order of the set. */
    members,
    /** Returns the keys of every Service that a cluster exports, or that we imported into one. */
    keys: (): Change[] => keysOf(set, known.all()),
    /**
     * Returns the versions of the objects behind a Service, as far as they are known.
     * @returns undefined while a member is not listed, and where they are too many or one cannot be used
     */
    versions({ namespace, service }: ServiceKey): FleetVersions | undefined {
      const versions: [string, ClusterVersions][] = []
      for (const [cluster, member] of members) {
        const own = member.isSynced ? member.versions(nameText(namespace, service)) : undefined
        if (own === undefined) return undefined
        versions.push([cluster, own])
      }
      const all = Object.fromEntries(versions)
      return countVersions(all) <= FLEET_VERSIONS ? all : undefined
    },
  }
}
