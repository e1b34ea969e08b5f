import { type LabelRequirement, matchesLabels, selectorFromLabels } from '../../kubernetes/index.ts'
import {
  isObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  objectsAt,
  sameJson,
  stringAt,
  stringsAt,
} from '../json.ts'
import { type KubeObject, labelsOf, stringMap } from '../objects.ts'
import { type Endpoint, type Registry, systemContext, updateObject } from '../registry/index.ts'
import { WorkQueue } from '../work-queue.ts'

/**
 * Keeps the rules of cluster roles with an `aggregationRule` what those of the roles that it selects are together, each rule once
 * and roles by name (upstream's clusterrole-aggregation-controller). Returns the function that ends it.
 */
export function startClusterRoleAggregation(
  registry: Registry,
  onError: (error: unknown) => void,
): () => void {
  const endpoint = registry.endpoint('rbac.authorization.k8s.io', 'v1', 'clusterroles')
  if (endpoint === undefined) return () => undefined
  const queue = new WorkQueue<Endpoint>((roles) => {
    try {
      aggregateAll(roles, registry)
    } catch (error) {
      onError(error)
    }
  })
  // One look after a burst of changes is enough: it goes over all roles. Those of the first look count, too: roles aggregate aggregated ones.
  const unsubscribe = endpoint.store.subscribe(endpoint.resource, () =>
    queue.add(endpoint.resource, endpoint),
  )
  aggregateAll(endpoint, registry)
  return () => {
    unsubscribe()
    queue.stop()
  }
}

function aggregateAll(endpoint: Endpoint, registry: Registry): void {
  const roles = endpoint.store.list(endpoint.resource, '')
  for (const role of roles.filter((object) => isObject(object.aggregationRule))) {
    const rules = aggregatedRules(role, roles)
    if (sameJson(rules, role.rules ?? [])) continue
    updateObject({ endpoint, stored: role }, { ...role, rules }, systemContext(registry.objects, Date.now()))
  }
}

function aggregatedRules(role: KubeObject, roles: readonly KubeObject[]): JsonValue[] {
  const selectors = objectsAt(objectAt(role, 'aggregationRule'), 'clusterRoleSelectors').map(requirementsOf)
  const rules: JsonValue[] = []
  for (const other of roles) {
    if (other === role || !selectors.some((selector) => matchesLabels(selector, labelsOf(other)))) continue
    for (const rule of objectsAt(other, 'rules')) {
      if (!rules.some((known) => sameJson(known, rule))) rules.push(rule)
    }
  }
  return rules
}

const OPERATORS: ReadonlyMap<string, LabelRequirement['operator']> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
])

/** What a LabelSelector of meta/v1 in its JSON form requires. */
function requirementsOf(selector: JsonObject): LabelRequirement[] {
  return [
    ...selectorFromLabels(stringMap(selector.matchLabels)),
    ...objectsAt(selector, 'matchExpressions').map((expression) => ({
      key: stringAt(expression, 'key'),
      operator: OPERATORS.get(stringAt(expression, 'operator')) ?? 'absent',
      values: stringsAt(expression, 'values'),
    })),
  ]
}
