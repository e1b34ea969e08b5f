import { hash } from 'node:crypto'
import type { ServiceKey } from '../changes/index.ts'
import { CLUSTER_SET_PREFIX } from '../kubernetes/index.ts'
import { UnknownClusterError } from '../reconciler/index.ts'
import { matchesPattern, type Settings } from '../settings/index.ts'

/** Clusters whose Services of one namespace and name are one Service (KEP-1645). */
export interface ClusterSet {
  /** A DNS label. */
  readonly name: string
  readonly members: readonly ClusterSetMember[]
  /**
   * Patterns of the namespaces that are the same in every cluster, such as `shop-*`. Others export and import
   * nothing. One that leaves the set, such as `shop=leave`, loses what the set has imported there. The first
   * that matches applies.
   */
  readonly namespaces: readonly string[]
  /** Whether exports may say by properties which clusters an import prefers (KEP-5939). Default false. */
  readonly clusterSelection?: boolean
  /** Whether members are found by tags: a search may miss one that is there. Default false. */
  readonly isDiscovered?: boolean
  /** Policy for endpoints of a cluster that cannot be reached; default: the settings'. */
  readonly unreachable?: Partial<Pick<Settings, 'unreachableCluster' | 'unreachableClusterExpiry'>>
}

export interface ClusterSetMember {
  /** The cluster's name in keys and logs: the kubeconfig context, or the name it has in the deployment. */
  readonly cluster: string
  /** Its id in the set: what `source-cluster` labels and ServiceImports name it by. A DNS label. */
  readonly id: string
  /** `leave`: it exports nothing, and what was imported there is removed. Others are left alone. */
  readonly role: 'both' | 'export' | 'import' | 'leave'
  /** Properties by which selectors of clusters find it, before those of its ClusterProperties. */
  readonly properties?: Readonly<Record<string, string>>
  /** Why its place in the set is uncertain. Nothing is read or written there, and its endpoints stay. */
  readonly problem?: string
}

/** Kubernetes keeps names with this prefix for namespaces of its own. */
const SYSTEM_PREFIX = 'kube-'
/** Ends the pattern of namespaces that leave a set. */
const LEAVES = '=leave'

/**
 * Returns the set as it is in a namespace: if that leaves it, all members do. Undefined of a namespace that
 * the set has nothing to do with. One that begins with `kube-` needs a pattern that begins so as well: `*` is
 * not meant to share what each cluster has for itself.
 */
export function clusterSetIn(set: ClusterSet, namespace: string): ClusterSet | undefined {
  const isOwn = namespace.startsWith(SYSTEM_PREFIX)
  const entry = set.namespaces.find(
    (each) =>
      matchesPattern(each.replace(LEAVES, ''), namespace) && (!isOwn || each.startsWith(SYSTEM_PREFIX)),
  )
  if (!entry?.endsWith(LEAVES)) return entry === undefined ? undefined : set
  const members = set.members.filter(holdsImports).map((member) => ({ ...member, role: 'leave' as const }))
  return { ...set, members }
}

export const exportsServices = ({ role }: ClusterSetMember): boolean => role === 'both' || role === 'export'
export const importsServices = ({ role }: ClusterSetMember): boolean => role === 'both' || role === 'import'
/** Reports whether the cluster has imports of the set, or may still have some. */
export const holdsImports = ({ role }: ClusterSetMember): boolean => role !== 'export'

/** Characters of a digest: enough to distinguish the members of a set from those that it had before. */
const DIGEST_CHARACTERS = 16

/**
 * Returns a digest of the members, their ids and roles. A relay and a function find clusters by tags each for
 * itself; by this they notice that one of them is late.
 */
export function membersDigest({
  members,
  clusterSelection,
}: Pick<ClusterSet, 'members' | 'clusterSelection'>): string {
  const selected = (properties = {}): unknown[] =>
    clusterSelection ? [Object.entries(properties).sort()] : []
  const facts = members
    .map(({ cluster, id, role, problem, properties }) =>
      JSON.stringify([cluster, id, role, problem !== undefined, ...selected(properties)]),
    )
    .sort()
  return hash('sha256', facts.join('\n')).slice(0, DIGEST_CHARACTERS)
}

/** Returns the key of one Service of all clusters of a set. */
export const fleetKey = (set: string, namespace: string, service: string): ServiceKey => ({
  cluster: `${CLUSTER_SET_PREFIX}${set}`,
  namespace,
  service,
})

/** Returns the set of a key of {@link fleetKey}; undefined of a key of one cluster. */
export const clusterSetOf = ({ cluster }: Pick<ServiceKey, 'cluster'>): string | undefined =>
  cluster.startsWith(CLUSTER_SET_PREFIX) ? cluster.slice(CLUSTER_SET_PREFIX.length) : undefined

/** Finds the set that a key is of. @throws UnknownClusterError */
export function findSet(sets: readonly ClusterSet[], key: ServiceKey): ClusterSet {
  const set = sets.find(({ name }) => name === clusterSetOf(key))
  if (set !== undefined) return set
  const known = sets.map(({ name }) => name).join(', ') || 'none'
  throw new UnknownClusterError(`${key.cluster} is not known; known are the cluster sets ${known}`)
}
