import type { JsonObject } from '../apimachinery/json/exact-numbers.ts'
import { stringAt, stringsAt } from '../apimachinery/json/values.ts'
import type { AdmissionRequest, GroupVersionResource } from '../apiserver/registry/admission/types.ts'

/** Reports whether a rule (RuleWithOperations) matches the request as one for `resource`. */
export function matchesRule(
  rule: JsonObject,
  request: AdmissionRequest,
  resource: GroupVersionResource,
): boolean {
  return (
    matchesScope(stringAt(rule, 'scope'), request, resource) &&
    includes(rule, 'operations', request.operation) &&
    includes(rule, 'apiGroups', resource.group) &&
    includes(rule, 'apiVersions', resource.version) &&
    stringsAt(rule, 'resources').some((name) => matchesResource(name, resource.resource, request.subresource))
  )
}

function includes(rule: JsonObject, member: string, wanted: string): boolean {
  const items = stringsAt(rule, member)
  return items.includes('*') || items.includes(wanted)
}

/** Reports whether a pattern matches a resource. `*` alone is all resources without their subresources. */
function matchesResource(pattern: string, resource: string, subresource: string): boolean {
  const cut = pattern.indexOf('/')
  const [wanted, wantedBelow] = cut < 0 ? [pattern, ''] : [pattern.slice(0, cut), pattern.slice(cut + 1)]
  return (wanted === '*' || wanted === resource) && (wantedBelow === '*' || wantedBelow === subresource)
}

/** Reports whether the scope matches. A request for a Namespace has a namespace, but is cluster-scoped. */
function matchesScope(
  scope: string,
  { namespace }: AdmissionRequest,
  resource: GroupVersionResource,
): boolean {
  const isNamespace = resource.group === '' && resource.resource === 'namespaces'
  const namespaced = namespace !== '' && !isNamespace
  if (scope === 'Namespaced') return namespaced
  return scope !== 'Cluster' || !namespaced
}
