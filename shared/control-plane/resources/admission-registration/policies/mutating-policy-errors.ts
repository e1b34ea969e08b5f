import { type FieldError, invalidValue, notSupported, required } from '../../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, objectsAt, stringAt } from '../../../apimachinery/json/values.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import type { LazyCel } from '../../../cel/lazy-cel.ts'
import { ExpressionChecks } from '../matching/expressions.ts'
import { matchConstraintsErrors, mutableOperationErrors } from '../matching/match-resources.ts'
import { paramKindErrors } from './params.ts'
import { failurePolicyErrors, policyConditionErrors, reinvocationErrors } from './policy-choices.ts'
import { variableErrors } from './variables.ts'

/** Member that holds the expression of a mutation, by the mutation's type. */
const PATCHES = { ApplyConfiguration: 'applyConfiguration', JSONPatch: 'jsonPatch' } as const

/** Validates a MutatingAdmissionPolicy (pkg/apis/admissionregistration/validation). */
export function mutatingPolicyErrors(
  policy: KubeObject,
  cel: LazyCel,
  skipConditions: boolean,
): FieldError[] {
  const spec = objectAt(policy, 'spec')
  const checks = new ExpressionChecks(cel, true)
  const params = spec.paramKind !== undefined
  const mutations = objectsAt(spec, 'mutations')
  return [
    ...failurePolicyErrors(spec),
    ...paramKindErrors(spec.paramKind, 'spec.paramKind'),
    ...matchConstraintsErrors(spec, 'spec.matchConstraints'),
    ...mutableOperationErrors(spec, 'matchConstraints'),
    ...(skipConditions ? [] : policyConditionErrors(spec, cel)),
    ...variableErrors(spec, checks),
    ...(mutations.length === 0
      ? [required('spec.mutations', 'mutations must contain at least one item')]
      : []),
    ...mutations.flatMap((mutation, index) =>
      mutationErrors(mutation, `spec.mutations[${index}]`, params, checks),
    ),
    ...reinvocationErrors(spec),
  ]
}

function mutationErrors(
  mutation: JsonObject,
  at: string,
  params: boolean,
  checks: ExpressionChecks,
): FieldError[] {
  const type = stringAt(mutation, 'patchType')
  if (type === '') return [required(`${at}.patchType`)]
  if (type !== 'ApplyConfiguration' && type !== 'JSONPatch')
    return [notSupported(`${at}.patchType`, type, Object.keys(PATCHES))]
  const member = PATCHES[type]
  const other = type === 'JSONPatch' ? PATCHES.ApplyConfiguration : PATCHES.JSONPatch
  const patch = mutation[member]
  return [
    ...(isObject(patch)
      ? patchErrors(patch, `${at}.${member}.expression`, { member, params, checks })
      : [required(`${at}.${member}`, `must be specified when patchType is ${type}`)]),
    ...(mutation[other] === undefined
      ? []
      : [invalidValue(`${at}.${other}`, `{${other}}`, `must not be specified when patchType is ${type}`)]),
  ]
}

interface PatchContext {
  readonly member: 'applyConfiguration' | 'jsonPatch'
  readonly params: boolean
  readonly checks: ExpressionChecks
}

function patchErrors(patch: JsonObject, at: string, { member, params, checks }: PatchContext): FieldError[] {
  const expression = stringAt(patch, 'expression').trim()
  if (expression === '') return [required(at)]
  return checks.errors(expression, at, {
    scope: { params, authorizer: true, patches: true },
    purpose: member,
  })
}
