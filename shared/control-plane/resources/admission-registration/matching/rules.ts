import { type FieldError, invalidValue, notSupported, required } from '../../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { stringsAt } from '../../../apimachinery/json/values.ts'

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']
const SCOPES = ['*', 'Cluster', 'Namespaced']

/** Validates a webhook's rule, a RuleWithOperations, with subresources (`pods/*`). */
export function ruleErrors(rule: JsonObject, at: string): FieldError[] {
  const { scope } = rule
  return [
    ...operationErrors(stringsAt(rule, 'operations'), `${at}.operations`),
    ...wildcardErrors(stringsAt(rule, 'apiGroups'), `${at}.apiGroups`, 'API groups'),
    ...wildcardErrors(stringsAt(rule, 'apiVersions'), `${at}.apiVersions`, 'API versions'),
    ...emptyErrors(stringsAt(rule, 'apiVersions'), `${at}.apiVersions`),
    ...resourceErrors(stringsAt(rule, 'resources'), `${at}.resources`),
    ...(typeof scope === 'string' && !SCOPES.includes(scope)
      ? [notSupported(`${at}.scope`, scope, SCOPES)]
      : []),
  ]
}

function operationErrors(operations: string[], at: string): FieldError[] {
  return [
    ...wildcardErrors(operations, at, 'operations'),
    ...operations.flatMap((operation, index) =>
      OPERATIONS.includes(operation) ? [] : [notSupported(`${at}[${index}]`, operation, OPERATIONS)],
    ),
  ]
}

function wildcardErrors(items: string[], at: string, what: string): FieldError[] {
  if (items.length === 0) return [required(at)]
  return items.length > 1 && items.includes('*')
    ? [invalidValue(at, items, `if '*' is present, must not specify other ${what}`)]
    : []
}

function emptyErrors(items: readonly string[], at: string): FieldError[] {
  return items.flatMap((item, index) => (item === '' ? [required(`${at}[${index}]`)] : []))
}

function resourceErrors(resources: string[], at: string): FieldError[] {
  if (resources.length === 0) return [required(at)]
  const plain = resources.filter((resource) => resource !== '' && !resource.includes('/'))
  const doubled = resources.length > 1 && resources.includes('*/*')
  // Upstream checks only the last resource without a subresource.
  const mixed = plain.includes('*') && plain.at(-1) !== '*'
  return [
    ...coveredErrors(resources, at),
    ...(doubled
      ? [invalidValue(at, resources, "if '*/*' is present, must not specify other resources")]
      : []),
    ...(mixed
      ? [
          invalidValue(
            at,
            resources,
            "if '*' is present, must not specify other resources without subresources",
          ),
        ]
      : []),
  ]
}

/** Reports resources that are empty, or that a wildcard before them covers already. */
function coveredErrors(resources: readonly string[], at: string): FieldError[] {
  const wholeResources = new Set<string>()
  const wholeSubresources = new Set<string>()
  return resources.flatMap((resource, index) => {
    const path = `${at}[${index}]`
    if (resource === '') return [required(path)]
    const cut = resource.indexOf('/')
    if (cut < 0) return []
    const [name, subresource] = [resource.slice(0, cut), resource.slice(cut + 1)]
    const covering = [
      ...(wholeResources.has(name) ? [`${name}/*`] : []),
      ...(wholeSubresources.has(subresource) ? [`*/${subresource}`] : []),
    ]
    if (subresource === '*') wholeResources.add(name)
    if (name === '*') wholeSubresources.add(subresource)
    return covering.map((other) =>
      invalidValue(path, resource, `if '${other}' is present, must not specify ${resource}`),
    )
  })
}
