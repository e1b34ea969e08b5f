import { labelName } from '../kubernetes/index.ts'
import type { ClusterSet } from './cluster-set.ts'
import { exportsServices, importsServices } from './cluster-set.ts'

/** What is wrong with cluster sets, in words, each with what to do; none where they can be used. */
export function clusterSetProblems(sets: readonly ClusterSet[]): string[] {
  const claimed = new Map<string, string>()
  return sets.flatMap((set) => {
    const taken = set.members.flatMap(({ cluster }) => {
      const other = claimed.get(cluster)
      claimed.set(cluster, set.name)
      return other === undefined || other === set.name
        ? []
        : [
            `cluster "${cluster}" is in the sets "${other}" and "${set.name}"; a cluster is in one set at most`,
          ]
    })
    return [...problemsOf(set), ...taken]
  })
}

function problemsOf({ name, members, namespaces }: ClusterSet): string[] {
  const problems: string[] = []
  if (labelName(name).length > 0) problems.push(`set "${name}": its name must be a DNS label, such as "prod"`)
  for (const { cluster, id } of members)
    if (labelName(id).length > 0)
      problems.push(
        `cluster "${cluster}": its id "${id}" must be a DNS label, as it stands in labels and DNS names; give it another one`,
      )
  for (const [id, same] of Map.groupBy(members, (member) => member.id))
    if (same.length > 1)
      problems.push(
        `id "${id}" is that of ${same.map(({ cluster }) => `"${cluster}"`).join(' and ')}; ids tell clusters apart`,
      )
  if (!members.some(exportsServices)) problems.push(`set "${name}": no cluster exports; let one do so`)
  if (!members.some(importsServices)) problems.push(`set "${name}": no cluster imports; let one do so`)
  if (namespaces.length === 0)
    problems.push(`set "${name}": no namespace is the same in its clusters; name some, or "*"`)
  for (const pattern of namespaces)
    if (labelName(pattern.replaceAll('*', 'x')).length > 0)
      problems.push(`set "${name}": "${pattern}" is no pattern of namespaces, such as "shop" or "shop-*"`)
  return problems
}
