import type { Rule, Schema } from '../structural/index.ts'
import { readsVariable } from './ast.ts'
import { CelError, type CelEvaluator, type Expression } from './evaluator.ts'
import { undefinedFields } from './fields.ts'

/** A rule that is ready to be evaluated. */
export interface CompiledRule {
  readonly rule: Rule
  readonly expression: Expression
  readonly message: Expression | undefined
  /** True for a rule about a change: it is looked at where there is a stored value only. */
  readonly usesOldSelf: boolean
}

/** Reads a rule for a schema. Throws CelError with upstream's text where it cannot be used. */
export function compileRule(rule: Rule, schema: Schema, evaluator: CelEvaluator): CompiledRule {
  const expression = compile(rule.rule, schema, evaluator)
  if (expression.type !== 'bool' && expression.type !== 'dyn') {
    throw new CelError('must evaluate to a bool')
  }
  return {
    rule,
    expression,
    message: undefined,
    usesOldSelf: readsVariable(expression.ast, 'oldSelf'),
  }
}

/** Reads a rule's message expression; undefined where it has none. Throws CelError where it cannot be used. */
export function compileMessage(rule: Rule, schema: Schema, evaluator: CelEvaluator): Expression | undefined {
  if (rule.messageExpression === '') return undefined
  const expression = compile(rule.messageExpression, schema, evaluator, 'messageExpression ')
  if (expression.type !== 'string' && expression.type !== 'dyn')
    throw new CelError('messageExpression must evaluate to a string')
  return expression
}

function compile(text: string, schema: Schema, evaluator: CelEvaluator, what = ''): Expression {
  const expression = readOrExplain(text, evaluator, what)
  const [missing] = undefinedFields(expression.ast, schema)
  if (!missing) return expression
  const { name, position } = missing
  throw new CelError(
    `${what}compilation failed: ERROR: <input>:1:${position + 1}: undefined field '${name}'\n | ${text}\n | ${'.'.repeat(position)}^`,
  )
}

function readOrExplain(text: string, evaluator: CelEvaluator, what: string): Expression {
  try {
    return evaluator.read(text)
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    throw new CelError(`${what}compilation failed: ERROR: <input>: ${error.message}`, { cause: error })
  }
}
