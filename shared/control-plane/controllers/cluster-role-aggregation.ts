import { isObject, type JsonValue, objectAt, objectsAt, sameJson, stringAt, stringsAt } from '../json.ts'
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
  aggregateAll(endpoint, registry)
  // One look after a burst of changes is enough: it goes over all roles.
  const unsubscribe = endpoint.store.subscribe(endpoint.resource, () =>
    queue.add(endpoint.resource, endpoint),
  )
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
  const selectors = objectsAt(objectAt(role, 'aggregationRule'), 'clusterRoleSelectors')
  const rules: JsonValue[] = []
  for (const other of roles) {
    if (other === role || !selectors.some((selector) => matches(selector, labelsOf(other)))) continue
    for (const rule of objectsAt(other, 'rules')) {
      if (!rules.some((known) => sameJson(known, rule))) rules.push(rule)
    }
  }
  return rules
}

/** A LabelSelector of meta/v1 in its JSON form. */
function matches(
  selector: Parameters<typeof objectAt>[0],
  labels: Readonly<Record<string, string>>,
): boolean {
  const wanted = Object.entries(stringMap(selector?.matchLabels))
  return (
    wanted.every(([key, value]) => labels[key] === value) &&
    objectsAt(selector, 'matchExpressions').every((expression) => {
      const value = labels[stringAt(expression, 'key')]
      const values = stringsAt(expression, 'values')
      switch (stringAt(expression, 'operator')) {
        case 'In':
          return value !== undefined && values.includes(value)
        case 'NotIn':
          return value === undefined || !values.includes(value)
        case 'Exists':
          return value !== undefined
        default:
          return value === undefined
      }
    })
  )
}
