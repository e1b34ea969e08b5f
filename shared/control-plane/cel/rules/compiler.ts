import type { Rule, Schema } from '../../apiextensions/structural/schema.ts'
import { CelEnvironment, type Expression } from '../environment.ts'
import { CelError } from '../errors.ts'
import { readsVariable } from '../syntax/nodes.ts'
import { isBool, isString, optionalOf } from '../types/type.ts'
import { SchemaTypes } from './schema-types.ts'

/** A rule that is ready to be evaluated. */
export interface CompiledRule {
  readonly rule: Rule
  readonly expression: Expression
  readonly message: Expression | undefined
  /** True for a rule about a change: it is evaluated only where there is a stored value. */
  readonly usesOldSelf: boolean
}

/** Environments of one schema: with `oldSelf` as it is, and as an optional. */
interface Environments {
  readonly plain: CelEnvironment
  readonly optional: CelEnvironment
}

/** Upstream makes the name again each time, so it must not be relied on. */
const TYPE_NAME = 'selfType'

/** Reads the `x-kubernetes-validations` of schemas (KEP-2876). */
export class RuleCompiler {
  readonly #environments = new WeakMap<Schema, Environments>()

  /** Throws CelError with upstream's text where the rule cannot be used. */
  compileRule(rule: Rule, schema: Schema): CompiledRule {
    const expression = this.#compile(rule.rule.trim(), rule, schema, '')
    if (!isBool(expression.type)) throw new CelError('cel expression must evaluate to a bool')
    return {
      rule,
      expression,
      message: undefined,
      usesOldSelf: readsVariable(expression.ast, 'oldSelf'),
    }
  }

  /** Compiles the rule's message expression, if it has one. Throws CelError if it cannot be used. */
  compileMessage(rule: Rule, schema: Schema): Expression | undefined {
    const text = rule.messageExpression.trim()
    if (text === '') return undefined
    const expression = this.#compile(text, rule, schema, 'messageExpression ')
    if (!isString(expression.type)) throw new CelError('messageExpression must evaluate to a string')
    return expression
  }

  #compile(text: string, { optionalOldSelf }: Rule, schema: Schema, what: string): Expression {
    const { plain, optional } = this.#environmentsOf(schema)
    try {
      return (optionalOldSelf ? optional : plain).compile(text)
    } catch (error) {
      if (!(error instanceof CelError)) throw error
      const failed = error.message.startsWith('ERROR') ? `${what}compilation failed: ` : ''
      throw new CelError(`${failed}${error.message}`, { cause: error })
    }
  }

  #environmentsOf(schema: Schema): Environments {
    const known = this.#environments.get(schema)
    if (known) return known
    const types = new SchemaTypes(schema, TYPE_NAME)
    const { root } = types
    const plain = CelEnvironment.create({ variables: { self: root, oldSelf: root }, objects: types })
    const made = { plain, optional: plain.extend({ oldSelf: optionalOf(root) }) }
    this.#environments.set(schema, made)
    return made
  }
}
