import { type FieldError, invalidValue, required } from '../../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { objectsAt, stringAt } from '../../../apimachinery/json/values.ts'
import type { ExpressionChecks } from '../matching/expressions.ts'

const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/
const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

/** Validates the `variables` of a policy. Each can use those before it. */
export function variableErrors(spec: JsonObject, checks: ExpressionChecks): FieldError[] {
  const params = spec.paramKind !== undefined
  return objectsAt(spec, 'variables').flatMap((variable, index) => {
    const at = `spec.variables[${index}]`
    const name = stringAt(variable, 'name')
    const expression = stringAt(variable, 'expression')
    return [
      ...nameErrors(name, `${at}.name`),
      ...(expression.trim() === ''
        ? [required(`${at}.expression`, 'expression is not specified')]
        : checks.variableErrors(name, expression, `${at}.expression`, { params, authorizer: true })),
    ]
  })
}

function nameErrors(name: string, at: string): FieldError[] {
  if (name.trim() === '') return [required(at, 'name is not specified')]
  const isIdentifier = IDENTIFIER.test(name) && !RESERVED.has(name)
  return isIdentifier ? [] : [invalidValue(at, name, 'must be a valid CEL identifier')]
}
