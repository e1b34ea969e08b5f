import { labelKey } from '../../../../kubernetes/index.ts'
import type { Field } from '../../../apimachinery/validation/field.ts'
import type { LazyCel } from '../../../cel/lazy-cel.ts'
import { ExpressionChecks } from '../matching/expressions.ts'
import { validateMatchConditions } from '../matching/match-conditions.ts'
import { validateMatchConstraints } from '../matching/match-resources.ts'
import { validateParamKind } from './params.ts'
import { FAILURE_POLICIES } from './policy-choices.ts'
import { validateVariables } from './variables.ts'

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge']
/** Longest annotation, in bytes. */
const LONGEST_ANNOTATION = 5 * 1024
const NOTHING = 'validations or auditAnnotations must contain at least one item'

/** Validates a ValidatingAdmissionPolicy (pkg/apis/admissionregistration/validation). */
export function validateValidatingPolicy(policy: Field, cel: LazyCel, sameConditions: boolean): void {
  const spec = policy.child('spec')
  const checks = new ExpressionChecks(cel, spec.child('variables').list.length > 0)
  const params = spec.child('paramKind').ifSet !== undefined
  spec.child('failurePolicy').oneOf(FAILURE_POLICIES)
  validateParamKind(spec.child('paramKind'))
  validateMatchConstraints(spec.child('matchConstraints'))
  if (!sameConditions) validateMatchConditions(spec.child('matchConditions'), cel, params)
  validateVariables(spec, checks)
  const [validations, annotations] = [spec.child('validations'), spec.child('auditAnnotations')]
  if (validations.list.length === 0 && annotations.list.length === 0) {
    validations.required(NOTHING)
    annotations.required(NOTHING)
  }
  for (const validation of validations.items()) validateValidation(validation, params, checks)
  const keys = new Set<string>()
  for (const annotation of annotations.items()) {
    const key = annotation.child('key')
    validateAnnotationKey(key, policy.child('metadata', 'name').text)
    validateAnnotationValue(annotation.child('valueExpression'), params, checks)
    key.with(key.text).unique(keys)
  }
}

function validateValidation(validation: Field, params: boolean, checks: ExpressionChecks): void {
  const [expression, message] = [validation.child('expression'), validation.child('messageExpression')]
  if (expression.text.trim() === '') expression.required('expression is not specified')
  else checks.validate(expression, { params, authorizer: true }, 'condition')
  if (isNotBlank(message)) checks.validate(message, { params }, 'message')
  const text = validation.child('message')
  if (isNotBlank(text) && /[\n\r]/.test(text.text.trim())) text.invalid('must not contain line breaks')
  validation.child('reason').ifSet?.oneOf(REASONS)
}

/** Reports whether there is a text. One of white space only is an error. */
function isNotBlank(text: Field): boolean {
  const isBlank = text.text.trim() === ''
  if (isBlank) text.ifFilled?.invalid('must be non-empty if specified')
  return !isBlank
}

function validateAnnotationKey(key: Field, policy: string): void {
  if (policy === '') key.invalid('requires metadata.name be non-empty', key.text)
  else key.with(`${policy}/${key.text}`).follows(labelKey)
}

function validateAnnotationValue(value: Field, params: boolean, checks: ExpressionChecks): void {
  const expression = value.text.trim()
  if (expression === '') value.required('valueExpression is not specified')
  else if (Buffer.byteLength(expression) > LONGEST_ANNOTATION)
    value.required(`must not exceed ${LONGEST_ANNOTATION} bytes in length`)
  else checks.validate(value, { params, authorizer: true }, 'annotation', expression)
}
