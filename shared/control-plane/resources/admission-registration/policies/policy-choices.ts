import { subdomainName } from '../../../../kubernetes/index.ts'
import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  required,
} from '../../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { objectsAt, stringAt, stringsAt } from '../../../apimachinery/json/values.ts'
import type { LazyCel } from '../../../cel/lazy-cel.ts'
import { conditionErrors } from '../matching/expressions.ts'
import { matchConditionErrors } from '../matching/match-conditions.ts'

const ACTIONS = ['Audit', 'Deny', 'Warn']

export function failurePolicyErrors(spec: JsonObject): FieldError[] {
  const policy = stringAt(spec, 'failurePolicy')
  const known = ['Fail', 'Ignore']
  return known.includes(policy) ? [] : [notSupported('spec.failurePolicy', policy, known)]
}

export function policyConditionErrors(spec: JsonObject, cel: LazyCel): FieldError[] {
  const expressionErrors = conditionErrors(cel, spec.paramKind !== undefined)
  return matchConditionErrors(objectsAt(spec, 'matchConditions'), 'spec.matchConditions', expressionErrors)
}

export function reinvocationErrors(spec: JsonObject): FieldError[] {
  const policy = stringAt(spec, 'reinvocationPolicy')
  if (policy === '') return [required('spec.reinvocationPolicy')]
  const known = ['IfNeeded', 'Never']
  return known.includes(policy) ? [] : [notSupported('spec.reinvocationPolicy', policy, known)]
}

/** Validates the name of the policy that a binding belongs to. */
export function policyNameErrors(spec: JsonObject): FieldError[] {
  const name = stringAt(spec, 'policyName')
  if (name === '') return [required('spec.policyName')]
  return subdomainName(name).map((text) => invalidValue('spec.policyName', name, text))
}

export function validationActionErrors(spec: JsonObject): FieldError[] {
  const at = 'spec.validationActions'
  const actions = stringsAt(spec, 'validationActions')
  const both = actions.includes('Deny') && actions.includes('Warn')
  const why =
    'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)'
  return [
    ...actions.flatMap((action, index) => [
      ...(ACTIONS.includes(action) ? [] : [notSupported(`${at}[${index}]`, action, ACTIONS)]),
      ...(actions.indexOf(action) < index ? [duplicate(`${at}[${index}]`, action)] : []),
    ]),
    ...(both ? [invalidValue(at, actions, why)] : []),
    ...(actions.length === 0 ? [required(at, 'at least one validation action is required')] : []),
  ]
}
