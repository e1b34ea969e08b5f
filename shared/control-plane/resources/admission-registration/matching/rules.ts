import type { Field } from '../../../apimachinery/validation/field.ts'

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']
const SCOPES = ['*', 'Cluster', 'Namespaced']

/** Validates a webhook's rule, a RuleWithOperations, with subresources (`pods/*`). */
export function validateRule(rule: Field): void {
  const [operations, versions] = [rule.child('operations'), rule.child('apiVersions')]
  validateWildcard(operations, 'operations')
  for (const operation of operations.items()) operation.oneOf(OPERATIONS)
  validateWildcard(rule.child('apiGroups'), 'API groups')
  validateWildcard(versions, 'API versions')
  for (const version of versions.items()) version.notEmpty()
  validateResources(rule.child('resources'))
  rule.child('scope').ifSet?.oneOf(SCOPES)
}

function validateWildcard(items: Field, what: string): void {
  if (items.notEmpty() && items.list.length > 1 && items.list.includes('*'))
    items.invalid(`if '*' is present, must not specify other ${what}`)
}

function validateResources(resources: Field): void {
  if (!resources.notEmpty()) return
  validateCoverage(resources)
  const names = resources.strings
  const plain = names.filter((name) => name !== '' && !name.includes('/'))
  if (names.length > 1 && names.includes('*/*'))
    resources.invalid("if '*/*' is present, must not specify other resources")
  // Upstream checks only the last resource without a subresource.
  if (plain.includes('*') && plain.at(-1) !== '*')
    resources.invalid("if '*' is present, must not specify other resources without subresources")
}

/** Reports resources that are empty, or that a wildcard before them covers already. */
function validateCoverage(resources: Field): void {
  const wholeResources = new Set<string>()
  const wholeSubresources = new Set<string>()
  for (const resource of resources.items()) {
    const [name = '', subresource] = resource.text.split(/\/(.*)/s)
    resource.notEmpty()
    if (subresource === undefined) continue
    const covering = [
      ...(wholeResources.has(name) ? [`${name}/*`] : []),
      ...(wholeSubresources.has(subresource) ? [`*/${subresource}`] : []),
    ]
    if (subresource === '*') wholeResources.add(name)
    if (name === '*') wholeSubresources.add(subresource)
    for (const other of covering)
      resource.invalid(`if '${other}' is present, must not specify ${resource.text}`)
  }
}
