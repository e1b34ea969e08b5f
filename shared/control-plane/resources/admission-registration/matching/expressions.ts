import type { Field } from '../../../apimachinery/validation/field.ts'
import type { ExpressionScope, Purpose } from '../../../cel/index.ts'
import type { Cel, LazyCel } from '../../../cel/lazy-cel.ts'

/** Checks the expressions of one policy or webhook. */
export class ExpressionChecks {
  readonly #cel: Cel
  readonly #compiler: InstanceType<Cel['ExpressionCompiler']>

  /** @param composed whether expressions may use `variables` */
  constructor({ cel }: LazyCel, composed: boolean) {
    this.#cel = cel
    this.#compiler = new cel.ExpressionCompiler(composed)
  }

  /** Validates an expression. Errors quote the text as it is in the field. */
  validate(field: Field, scope: ExpressionScope, purpose: Purpose, text = field.text): void {
    this.#report(field, () => this.#compiler.compile(text, scope, purpose))
  }

  /** Validates a variable, which the expressions after it can use. */
  validateVariable(name: string, field: Field, scope: ExpressionScope): void {
    this.#report(field, () => this.#compiler.declare(name, field.text, scope))
  }

  #report(field: Field, compile: () => unknown): void {
    try {
      compile()
    } catch (error) {
      if (!(error instanceof this.#cel.CelError)) throw error
      // Upstream takes it for its own failure when a constant cannot be evaluated, as `int('x')`.
      if (error.message.startsWith('program instantiation failed')) field.internal(error.message)
      else field.invalid(error.message)
    }
  }
}
