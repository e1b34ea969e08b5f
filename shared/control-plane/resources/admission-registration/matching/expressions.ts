import { type FieldError, internalField, invalidValue } from '../../../apimachinery/errors/field.ts'
import type { ExpressionScope, Purpose } from '../../../cel/index.ts'
import type { Cel, LazyCel } from '../../../cel/lazy-cel.ts'
import type { ExpressionErrors } from './match-conditions.ts'

/** Checks the expressions of one policy or webhook. */
export class ExpressionChecks {
  readonly #cel: Cel
  readonly #compiler: InstanceType<Cel['ExpressionCompiler']>

  /** @param composed whether expressions may use `variables` */
  constructor({ cel }: LazyCel, composed: boolean) {
    this.#cel = cel
    this.#compiler = new cel.ExpressionCompiler(composed)
  }

  /** Returns the errors of an expression. `shown` is the text that they quote. */
  errors(
    text: string,
    at: string,
    how: { scope: ExpressionScope; purpose: Purpose; shown?: string },
  ): FieldError[] {
    return this.#failing(at, how.shown ?? text, () => this.#compiler.compile(text, how.scope, how.purpose))
  }

  /** Returns the errors of a variable, which the expressions after it can use. */
  variableErrors(name: string, text: string, at: string, scope: ExpressionScope): FieldError[] {
    return this.#failing(at, text, () => this.#compiler.declare(name, text, scope))
  }

  #failing(at: string, shown: string, compile: () => unknown): FieldError[] {
    try {
      compile()
      return []
    } catch (error) {
      if (!(error instanceof this.#cel.CelError)) throw error
      // Upstream takes it for its own failure when a constant cannot be evaluated, as `int('x')`.
      const isInternal = error.message.startsWith('program instantiation failed')
      return [isInternal ? internalField(at, error.message) : invalidValue(at, shown, error.message)]
    }
  }
}

/** Checks match conditions, which have no variables. */
export function conditionErrors(cel: LazyCel, params: boolean): ExpressionErrors {
  return (text, at) =>
    new ExpressionChecks(cel, false).errors(text, at, {
      scope: { params, authorizer: true },
      purpose: 'condition',
    })
}
