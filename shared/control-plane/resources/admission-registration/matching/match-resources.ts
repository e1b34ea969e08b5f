import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  required,
} from '../../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, objectsAt, stringAt, stringsAt } from '../../../apimachinery/json/values.ts'
import { pathSegmentName } from '../../../apimachinery/validation/names.ts'
import { labelSelectorErrors } from './label-selector.ts'
import { ruleErrors } from './rules.ts'

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
export function matchResourcesErrors(resources: JsonObject, at: string): FieldError[] {
  const policy = stringAt(resources, 'matchPolicy')
  return [
    ...(['Equivalent', 'Exact'].includes(policy)
      ? []
      : [notSupported(`${at}.matchPolicy`, policy, ['Equivalent', 'Exact'])]),
    ...labelSelectorErrors(resources.namespaceSelector, `${at}.namespaceSelector`),
    ...labelSelectorErrors(resources.objectSelector, `${at}.objectSelector`),
    ...namedRuleErrors(resources, 'resourceRules', at),
    ...namedRuleErrors(resources, 'excludeResourceRules', at),
  ]
}

function namedRuleErrors(resources: JsonObject, member: string, at: string): FieldError[] {
  return objectsAt(resources, member).flatMap((rule, index) => {
    const path = `${at}.${member}[${index}]`
    return [
      ...resourceNameErrors(stringsAt(rule, 'resourceNames'), `${path}.resourceNames`),
      ...ruleErrors(rule, path),
    ]
  })
}

function resourceNameErrors(names: readonly string[], at: string): FieldError[] {
  return names.flatMap((name, index) => [
    ...pathSegmentName(name).map((text) => invalidValue(`${at}[${index}]`, name, text)),
    ...(names.indexOf(name) < index ? [duplicate(`${at}[${index}]`, name)] : []),
  ])
}

/** Validates the constraints of a policy: there must be some, and a rule in them. */
export function matchConstraintsErrors(spec: JsonObject, at: string): FieldError[] {
  if (!isObject(spec.matchConstraints)) return [required(at)]
  return [
    ...matchResourcesErrors(spec.matchConstraints, at),
    ...(objectsAt(spec.matchConstraints, 'resourceRules').length > 0
      ? []
      : [required(`${at}.resourceRules`)]),
  ]
}

/** Validates the operations of a mutating policy: its rules may not name deletions. */
export function mutableOperationErrors(spec: JsonObject, member: string): FieldError[] {
  return objectsAt(objectAt(spec, member), 'resourceRules')
    .flatMap((rule) => stringsAt(rule, 'operations'))
    .filter((operation) => !MUTABLE.includes(operation))
    .map((operation) => notSupported(`spec.${member}.resourceRules.operations`, operation, MUTABLE))
}
