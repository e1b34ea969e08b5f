import { labelName } from '../kubernetes/index.ts'
import { didYouMean } from '../schema/index.ts'
import { type ClusterSetConfig, type ClusterSetEntry, matchesPattern } from '../settings/index.ts'
import { type ClusterSet, type ClusterSetMember, exportsServices, importsServices } from './cluster-set.ts'

/** A cluster that a set may be made of. */
export interface KnownCluster {
  readonly name: string
  /** Default: none, or none that are known. */
  readonly tags?: Readonly<Record<string, string>>
  /** Reason why the set cannot be used, in words. */
  readonly problem?: string
}

/**
 * Says which of the known clusters are in which set, by the first entry of a set that fits. Where that cannot
 * be told of a cluster, as two sets claim it or its id is another's, it is a member with a problem.
 */
export function resolveClusterSets(
  configs: readonly ClusterSetConfig[],
  clusters: readonly KnownCluster[],
): readonly ClusterSet[] {
  const sets = configs.map((config) => setOf(config, clusters))
  const claims = Map.groupBy(
    sets.flatMap(({ name, members }) => members.map(({ cluster }) => ({ cluster, name }))),
    ({ cluster }) => cluster,
  )
  return sets.map((set) => {
    const byId = Map.groupBy(set.members, ({ id }) => id)
    const members = set.members.map((member): ClusterSetMember => {
      const rivals = (claims.get(member.cluster) ?? []).map(({ name }) => name)
      const same = (byId.get(member.id) ?? []).map(({ cluster }) => cluster)
      const problem = member.problem ?? problemOf(member, rivals, same)
      return problem === undefined ? member : { ...member, problem }
    })
    return { ...set, members }
  })
}

function setOf(
  { name, clusters: entries, namespaces, ...unreachable }: ClusterSetConfig,
  clusters: readonly KnownCluster[],
): ClusterSet {
  const members = clusters.flatMap((cluster): ClusterSetMember[] => {
    const entry = entries.find((each) => fits(each, cluster))
    return entry === undefined
      ? []
      : [
          {
            ...{ cluster: cluster.name, id: entry.id ?? cluster.name, role: entry.role },
            ...(cluster.problem !== undefined && { problem: cluster.problem }),
          },
        ]
  })
  return { name, members, namespaces, unreachable }
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
  rivals: readonly string[],
  same: readonly string[],
): string | undefined {
  if (rivals.length > 1)
    return `cluster "${cluster}" is in the sets ${listed(rivals)}; a cluster is in one set at most`
  if (labelName(id).length > 0)
    return `cluster "${cluster}": its id "${id}" must be a DNS label, as it stands in labels and DNS names; give it another one`
  if (same.length > 1) return `id "${id}" is that of ${listed(same)}; ids tell clusters apart`
  return undefined
}

/** Tells entries of names that none of the clusters has: where all are listed, these are mistakes. */
export const unknownEntries = (
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
export const clusterSetProblems = (sets: readonly ClusterSet[]): string[] => [
  ...new Set(sets.flatMap((set) => problemsOf(set))),
]

function problemsOf({ name, members }: ClusterSet): string[] {
  const problems = members.flatMap(({ problem }) => problem ?? [])
  if (!members.some(exportsServices)) problems.push(`set "${name}": no cluster exports; let one do so`)
  if (!members.some(importsServices)) problems.push(`set "${name}": no cluster imports; let one do so`)
  return problems
}
