import { labelKey } from '../../../../kubernetes/index.ts'
import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  required,
} from '../../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { objectAt, objectsAt, stringAt } from '../../../apimachinery/json/values.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import type { LazyCel } from '../../../cel/lazy-cel.ts'
import { ExpressionChecks } from '../matching/expressions.ts'
import { matchConstraintsErrors } from '../matching/match-resources.ts'
import { paramKindErrors } from './params.ts'
import { failurePolicyErrors, policyConditionErrors } from './policy-choices.ts'
import { variableErrors } from './variables.ts'

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge']
/** Longest annotation, in bytes. */
const LONGEST_ANNOTATION = 5 * 1024
const NOTHING = 'validations or auditAnnotations must contain at least one item'

/** Validates a ValidatingAdmissionPolicy (pkg/apis/admissionregistration/validation). */
export function validatingPolicyErrors(
  policy: KubeObject,
  cel: LazyCel,
  skipConditions: boolean,
): FieldError[] {
  const spec = objectAt(policy, 'spec')
  const checks = new ExpressionChecks(cel, objectsAt(spec, 'variables').length > 0)
  return [
    ...failurePolicyErrors(spec),
    ...paramKindErrors(spec.paramKind, 'spec.paramKind'),
    ...matchConstraintsErrors(spec, 'spec.matchConstraints'),
    ...(skipConditions ? [] : policyConditionErrors(spec, cel)),
    ...variableErrors(spec, checks),
    ...judgementErrors(policy, spec, checks),
  ]
}

function judgementErrors(policy: KubeObject, spec: JsonObject, checks: ExpressionChecks): FieldError[] {
  const validations = objectsAt(spec, 'validations')
  const annotations = objectsAt(spec, 'auditAnnotations')
  if (validations.length === 0 && annotations.length === 0)
    return [required('spec.validations', NOTHING), required('spec.auditAnnotations', NOTHING)]
  const params = spec.paramKind !== undefined
  const keys = annotations.map((annotation) => stringAt(annotation, 'key'))
  return [
    ...validations.flatMap((validation, index) =>
      validationErrors(validation, `spec.validations[${index}]`, params, checks),
    ),
    ...annotations.flatMap((annotation, index) => {
      const at = `spec.auditAnnotations[${index}]`
      const key = keys[index] ?? ''
      return [
        ...annotationKeyErrors(policy.metadata.name ?? '', key, `${at}.key`),
        ...annotationValueErrors(
          stringAt(annotation, 'valueExpression'),
          `${at}.valueExpression`,
          params,
          checks,
        ),
        ...(keys.indexOf(key) < index ? [duplicate(`${at}.key`, key)] : []),
      ]
    }),
  ]
}

function validationErrors(
  validation: JsonObject,
  at: string,
  params: boolean,
  checks: ExpressionChecks,
): FieldError[] {
  const expression = stringAt(validation, 'expression')
  const { reason } = validation
  return [
    ...(expression.trim() === ''
      ? [required(`${at}.expression`, 'expression is not specified')]
      : checks.errors(expression, `${at}.expression`, {
          scope: { params, authorizer: true },
          purpose: 'condition',
        })),
    ...messageExpressionErrors(
      stringAt(validation, 'messageExpression'),
      `${at}.messageExpression`,
      params,
      checks,
    ),
    ...messageErrors(stringAt(validation, 'message'), `${at}.message`),
    ...(typeof reason === 'string' && !REASONS.includes(reason)
      ? [notSupported(`${at}.reason`, reason, REASONS)]
      : []),
  ]
}

function messageExpressionErrors(
  text: string,
  at: string,
  params: boolean,
  checks: ExpressionChecks,
): FieldError[] {
  if (text === '') return []
  if (text.trim() === '') return [invalidValue(at, text, 'must be non-empty if specified')]
  return checks.errors(text, at, { scope: { params }, purpose: 'message' })
}

function messageErrors(message: string, at: string): FieldError[] {
  if (message === '') return []
  if (message.trim() === '') return [invalidValue(at, message, 'must be non-empty if specified')]
  return /[\n\r]/.test(message.trim()) ? [invalidValue(at, message, 'must not contain line breaks')] : []
}

function annotationKeyErrors(policy: string, key: string, at: string): FieldError[] {
  if (policy === '') return [invalidValue(at, key, 'requires metadata.name be non-empty')]
  const name = `${policy}/${key}`
  return labelKey(name).map((text) => invalidValue(at, name, text))
}

function annotationValueErrors(
  text: string,
  at: string,
  params: boolean,
  checks: ExpressionChecks,
): FieldError[] {
  const expression = text.trim()
  if (expression === '') return [required(at, 'valueExpression is not specified')]
  if (Buffer.byteLength(expression) > LONGEST_ANNOTATION)
    return [required(at, `must not exceed ${LONGEST_ANNOTATION} bytes in length`)]
  return checks.errors(expression, at, {
    scope: { params, authorizer: true },
    purpose: 'annotation',
    shown: text,
  })
}
