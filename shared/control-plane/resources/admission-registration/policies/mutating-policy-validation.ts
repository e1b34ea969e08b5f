import type { Field } from '../../../apimachinery/validation/field.ts'
import type { LazyCel } from '../../../cel/lazy-cel.ts'
import { ExpressionChecks } from '../matching/expressions.ts'
import { validateMatchConditions } from '../matching/match-conditions.ts'
import { validateMatchConstraints, validateMutableOperations } from '../matching/match-resources.ts'
import { validateParamKind } from './params.ts'
import { FAILURE_POLICIES, REINVOCATION_POLICIES } from './policy-choices.ts'
import { validateVariables } from './variables.ts'

/** Member that holds the expression of a mutation, by the mutation's type. */
const PATCHES = { ApplyConfiguration: 'applyConfiguration', JSONPatch: 'jsonPatch' } as const

/** Validates a MutatingAdmissionPolicy (pkg/apis/admissionregistration/validation). */
export function validateMutatingPolicy(policy: Field, cel: LazyCel, sameConditions: boolean): void {
  const spec = policy.child('spec')
  const checks = new ExpressionChecks(cel, true)
  const params = spec.child('paramKind').ifSet !== undefined
  const mutations = spec.child('mutations')
  spec.child('failurePolicy').oneOf(FAILURE_POLICIES)
  validateParamKind(spec.child('paramKind'))
  validateMatchConstraints(spec.child('matchConstraints'))
  validateMutableOperations(spec.child('matchConstraints'))
  if (!sameConditions) validateMatchConditions(spec.child('matchConditions'), cel, params)
  validateVariables(spec, checks)
  mutations.notEmpty('mutations must contain at least one item')
  for (const mutation of mutations.items()) validateMutation(mutation, params, checks)
  spec.child('reinvocationPolicy').notEmpty()?.oneOf(REINVOCATION_POLICIES)
}

function validateMutation(mutation: Field, params: boolean, checks: ExpressionChecks): void {
  const type = mutation.child('patchType')
  if (!type.notEmpty()?.oneOf(Object.keys(PATCHES))) return
  const [member, other] =
    type.text === 'JSONPatch'
      ? ([PATCHES.JSONPatch, PATCHES.ApplyConfiguration] as const)
      : ([PATCHES.ApplyConfiguration, PATCHES.JSONPatch] as const)
  const patch = mutation.child(member)
  const expression = patch.child('expression')
  const trimmed = expression.with(expression.text.trim())
  if (!patch.ifObject) patch.required(`must be specified when patchType is ${type.text}`)
  else if (trimmed.notEmpty()) checks.validate(trimmed, { params, authorizer: true, patches: true }, member)
  mutation.child(other).ifSet?.invalid(`must not be specified when patchType is ${type.text}`, `{${other}}`)
}
