import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject, objectsAt } from '../../../apimachinery/json/values.ts'
import type { Field } from '../../../apimachinery/validation/field.ts'
import { pathSegmentName } from '../../../apimachinery/validation/names.ts'
import { validateLabelSelector } from './label-selector.ts'
import { validateRule } from './rules.ts'

/** Operations that policies can change: a deletion has no object. */
const MUTABLE = ['*', 'CONNECT', 'CREATE', 'UPDATE']

/** Sets the defaults of `matchConstraints` and `matchResources`. Anything but an object stays as it is. */
export function defaultMatchResources(parent: JsonObject, member: string): void {
  const resources = parent[member]
  if (!isObject(resources)) return
  parent[member] = {
    ...resources,
    matchPolicy: resources.matchPolicy ?? 'Equivalent',
    namespaceSelector: resources.namespaceSelector ?? {},
    objectSelector: resources.objectSelector ?? {},
    ...defaultRules(resources, 'resourceRules'),
    ...defaultRules(resources, 'excludeResourceRules'),
  }
}

function defaultRules(resources: JsonObject, member: string): JsonObject {
  if (resources[member] === undefined) return {}
  return { [member]: objectsAt(resources, member).map((rule) => ({ ...rule, scope: rule.scope ?? '*' })) }
}

/** Validates the MatchResources of a policy or a binding. */
export function validateMatchResources(resources: Field): void {
  resources.child('matchPolicy').oneOf(['Equivalent', 'Exact'])
  validateLabelSelector(resources.child('namespaceSelector'))
  validateLabelSelector(resources.child('objectSelector'))
  for (const member of ['resourceRules', 'excludeResourceRules']) {
    for (const rule of resources.child(member).items()) {
      const seen = new Set<string>()
      for (const name of rule.child('resourceNames').items()) {
        name.follows(pathSegmentName)
        name.unique(seen)
      }
      validateRule(rule)
    }
  }
}

/** Validates the constraints of a policy: there must be some, and a rule in them. */
export function validateMatchConstraints(constraints: Field): void {
  if (!constraints.ifObject) {
    constraints.required()
    return
  }
  validateMatchResources(constraints)
  constraints.child('resourceRules').notEmpty()
}

/** Validates the operations of a mutating policy: its rules may not name deletions. */
export function validateMutableOperations(resources: Field): void {
  const rules = resources.child('resourceRules')
  for (const rule of rules.items())
    for (const operation of rule.child('operations').items())
      operation.as(`${rules.path}.operations`).oneOf(MUTABLE)
}
