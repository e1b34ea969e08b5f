import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectsAt, stringsAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { RequestAttributes } from '../../apiserver/registry/access.ts'

/** A PolicyRule of rbac.authorization.k8s.io/v1. */
export interface Rule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames: readonly string[]
  readonly nonResourceURLs: readonly string[]
}

const ruleOf = (rule: JsonObject): Rule => ({
  verbs: stringsAt(rule, 'verbs'),
  apiGroups: stringsAt(rule, 'apiGroups'),
  resources: stringsAt(rule, 'resources'),
  resourceNames: stringsAt(rule, 'resourceNames'),
  nonResourceURLs: stringsAt(rule, 'nonResourceURLs'),
})

/** Returns the rules of a Role or ClusterRole. */
export const rulesOf = (role: KubeObject): Rule[] => objectsAt(role, 'rules').map(ruleOf)

const has = (list: readonly string[], value: string): boolean => list.includes('*') || list.includes(value)

/** Reports whether the rule allows the request (upstream: VerbMatches, APIGroupMatches, ResourceMatches). */
export function allows(rule: Rule, request: RequestAttributes): boolean {
  if (!has(rule.verbs, request.verb)) return false
  if (!request.resourceRequest) return rule.nonResourceURLs.some((url) => matchesUrl(url, request.path))
  return (
    has(rule.apiGroups, request.group) &&
    matchesResource(rule.resources, request) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(request.name))
  )
}

/**
 * Reports whether a pattern matches a resource: `pods`, `pods/log`, `*`, and a star, a slash and a name for
 * the subresource of any resource.
 */
function matchesResource(
  resources: readonly string[],
  { resource, subresource }: RequestAttributes,
): boolean {
  const wanted = subresource === '' ? resource : `${resource}/${subresource}`
  return has(resources, wanted) || (subresource !== '' && resources.includes(`*/${subresource}`))
}

/** Reports whether a URL of a rule, which may end in a star, matches a path. */
const matchesUrl = (url: string, path: string): boolean =>
  url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)))
