import type { Rule } from './rule.ts'

/** Returns the rules of `wanted` that the owner of `held` lacks; empty if nothing more is granted. */
export function uncovered(held: readonly Rule[], wanted: readonly Rule[]): Rule[] {
  return wanted.flatMap(atoms).filter((atom) => !held.some((rule) => covers(rule, atom)))
}

/** Splits a rule into single verbs on a resource and name: several rules together may cover one. */
function atoms(rule: Rule): Rule[] {
  const names = rule.resourceNames.length === 0 ? [[]] : rule.resourceNames.map((name) => [name])
  const none = { apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] }
  return rule.verbs.flatMap((verb) => [
    ...rule.apiGroups.flatMap((group) =>
      rule.resources.flatMap((resource) =>
        names.map((resourceNames) => ({
          ...none,
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          resourceNames,
        })),
      ),
    ),
    ...rule.nonResourceURLs.map((url) => ({ ...none, verbs: [verb], nonResourceURLs: [url] })),
  ])
}

/** Merges the rules of one resource and name into one that has all their verbs (upstream's CompactRules). */
export function compacted(rules: readonly Rule[]): Rule[] {
  const together = new Map<string, Rule>()
  for (const rule of rules) {
    const { verbs, ...what } = rule
    const isPath = what.nonResourceURLs.length > 0
    const key = JSON.stringify(isPath ? rule : what)
    const known = isPath ? undefined : together.get(key)
    together.set(key, known ? { ...known, verbs: [...known.verbs, ...verbs] } : rule)
  }
  return [...together.values()]
}

function covers(held: Rule, atom: Rule): boolean {
  const [url] = atom.nonResourceURLs
  if (!hasAll(held.verbs, atom.verbs)) return false
  if (url !== undefined) return held.nonResourceURLs.some((own) => coversUrl(own, url))
  return (
    hasAll(held.apiGroups, atom.apiGroups) &&
    coversResource(held.resources, atom.resources[0] ?? '') &&
    coversNames(held.resourceNames, atom.resourceNames)
  )
}

const hasAll = (held: readonly string[], wanted: readonly string[]): boolean =>
  held.includes('*') || wanted.every((item) => held.includes(item))

function coversResource(held: readonly string[], resource: string): boolean {
  const subresource = resource.split('/')[1]
  return hasAll(held, [resource]) || (subresource !== undefined && held.includes(`*/${subresource}`))
}

/** Reports whether names cover others. No names at all are all names. */
const coversNames = (held: readonly string[], wanted: readonly string[]): boolean =>
  held.length === 0 || (wanted.length > 0 && wanted.every((name) => held.includes(name)))

const coversUrl = (held: string, url: string): boolean =>
  held === url || (held.endsWith('*') && url.startsWith(held.slice(0, -1)))
