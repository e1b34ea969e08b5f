import { labelName } from '../kubernetes/index.ts'
import { didYouMean } from '../schema/index.ts'
import { type ClusterSetConfig, type ClusterSetEntry, matchesPattern } from '../settings/index.ts'
import { type ClusterSet, type ClusterSetMember, exportsServices, importsServices } from './cluster-set.ts'

/** A cluster that a set may be made of. */
interface KnownCluster {
  readonly name: string
  /** Default: none, or none that are known. */
  readonly tags?: Readonly<Record<string, string>>
  /** Reason why the set cannot be used, in words. */
  readonly problem?: string
}

interface Claim {
  readonly set: string
  readonly member: ClusterSetMember
  /** Part of the entry that fits, in words: a name, or a tag. */
  readonly by: string
}

/**
 * Says which of the known clusters are in which set, by the first entry of a set that fits. Where that cannot
 * be said of a cluster, as two sets claim it or its id is another's, it is a member with a problem. A set
 * that a cluster leaves does not claim it.
 */
export function resolveClusterSets(
  configs: readonly ClusterSetConfig[],
  clusters: readonly KnownCluster[],
): readonly ClusterSet[] {
  const claims = configs.flatMap((config) => claimsOf(config, clusters))
  const claiming = Map.groupBy(
    claims.filter(({ member }) => member.role !== 'leave'),
    ({ member }) => member.cluster,
  )
  return configs.map(({ name, clusters: _, namespaces, clusterSelection, ...unreachable }) => {
    const own = claims.filter(({ set }) => set === name).map(({ member }) => member)
    const byId = Map.groupBy(own, ({ id }) => id)
    const members = own.map((member): ClusterSetMember => {
      const same = (byId.get(member.id) ?? []).map(({ cluster }) => cluster)
      const problem = member.problem ?? problemOf(member, claiming.get(member.cluster) ?? [], same)
      return problem === undefined ? member : { ...member, problem }
    })
    return { name, members, namespaces, ...(clusterSelection && { clusterSelection }), unreachable }
  })
}

const claimsOf = (
  { name, clusters: entries }: ClusterSetConfig,
  clusters: readonly KnownCluster[],
): Claim[] =>
  clusters.flatMap((cluster): Claim[] => {
    const entry = entries.find((each) => fits(each, cluster))
    if (entry === undefined) return []
    const member = {
      ...{ cluster: cluster.name, id: entry.id ?? cluster.name, role: entry.role },
      ...(entry.properties && { properties: entry.properties }),
      ...(cluster.problem !== undefined && { problem: cluster.problem }),
    }
    return [{ set: name, member, by: entryText(entry) }]
  })

function entryText({ name, tagKey, tagValue }: ClusterSetEntry): string {
  if (name !== undefined) return `the name ${name}`
  return tagValue === undefined ? `the tag ${tagKey}` : `the tag ${tagKey}=${tagValue}`
}

function fits(
  { name, tagKey, tagValue }: ClusterSetEntry,
  { name: cluster, tags = {} }: KnownCluster,
): boolean {
  if (name !== undefined) return matchesPattern(name, cluster)
  const value = tagKey === undefined ? undefined : tags[tagKey]
  return value !== undefined && (tagValue === undefined || value === tagValue)
}

function problemOf(
  { cluster, id }: ClusterSetMember,
  rivals: readonly Claim[],
  same: readonly string[],
): string | undefined {
  if (rivals.length > 1) {
    const sets = rivals.map(({ set, by }) => `"${set}" by ${by}`).join(' and ')
    return `cluster "${cluster}" is in the sets ${sets}; a cluster is in one set at most: change an entry of the sets, or its tags`
  }
  if (labelName(id).length > 0)
    return `cluster "${cluster}": its id "${id}" must be a DNS label, as it stands in labels and DNS names; give it another one`
  if (same.length > 1)
    return `id "${id}" is that of ${listed(same)}; ids tell clusters apart: give one of them another`
  return undefined
}

/** Lists entries of names that none of the clusters has: where all are listed, these are mistakes. */
const unknownEntries = (
  configs: readonly ClusterSetConfig[],
  clusters: readonly KnownCluster[],
): readonly string[] =>
  configs.flatMap(({ name: set, clusters: entries }) =>
    entries
      .filter((entry) => !clusters.some((cluster) => fits(entry, cluster)))
      .map(({ name, tagKey }) =>
        name === undefined
          ? `set "${set}": no cluster has the tag ${tagKey}: only clusters that a tag found have some; give names, or a pattern`
          : `set "${set}": ${name} is not one of the clusters (${clusters.map((each) => each.name).join(', ')})${didYouMean(
              name,
              clusters.map((each) => each.name),
            )}`,
      ),
  )

const listed = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(' and ')

/** Returns the faults of sets of which all clusters are known, in words; none where they can be used. */
export const clusterSetProblems = (
  configs: readonly ClusterSetConfig[],
  clusters: readonly KnownCluster[],
): string[] => [
  ...unknownEntries(configs, clusters),
  ...new Set(resolveClusterSets(configs, clusters).flatMap((set) => problemsOf(set))),
]

function problemsOf({ name, members }: ClusterSet): string[] {
  const problems = members.flatMap(({ problem }) => problem ?? [])
  if (!members.some(exportsServices)) problems.push(`set "${name}": no cluster exports; let one do so`)
  if (!members.some(importsServices)) problems.push(`set "${name}": no cluster imports; let one do so`)
  return problems
}
