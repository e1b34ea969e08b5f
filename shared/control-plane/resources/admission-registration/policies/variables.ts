import type { Field } from '../../../apimachinery/validation/field.ts'
import type { ExpressionChecks } from '../matching/expressions.ts'

const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/
const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

/** Validates the `variables` of a policy. Each can use those before it. */
export function validateVariables(spec: Field, checks: ExpressionChecks): void {
  const params = spec.child('paramKind').ifSet !== undefined
  for (const variable of spec.child('variables').items()) {
    const [name, expression] = [variable.child('name'), variable.child('expression')]
    if (name.text.trim() === '') name.required('name is not specified')
    else if (!IDENTIFIER.test(name.text) || RESERVED.has(name.text))
      name.invalid('must be a valid CEL identifier')
    if (expression.text.trim() === '') expression.required('expression is not specified')
    else checks.validateVariable(name.text, expression, { params, authorizer: true })
  }
}
