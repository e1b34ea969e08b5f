import type { Expression } from '../environment.ts'
import { CelError } from '../errors.ts'
import { CostBudget } from '../runtime/budget.ts'
import { Activation, type ExpressionInput, OutOfBudgetError } from './activation.ts'

/** Highest cost of the match conditions of one webhook or policy together. */
const COST_OF_CONDITIONS = 2_500_000

/** Evaluates match conditions: false if one is, whatever the others; else what failed, else true. */
export function meetsAll(
  conditions: readonly (Expression | CelError)[],
  input: ExpressionInput,
): boolean | readonly string[] {
  const activation = new Activation(input, new Map(), new CostBudget(COST_OF_CONDITIONS))
  const errors: string[] = []
  for (const condition of conditions) {
    try {
      if (condition instanceof CelError) throw new CelError(`compilation error: ${condition.message}`)
      if (activation.evaluate(condition) === false) return false
    } catch (error) {
      if (!(error instanceof CelError)) throw error
      if (error instanceof OutOfBudgetError) return [error.message]
      errors.push(error.message)
    }
  }
  return errors.length > 0 ? errors : true
}
