import { isList, type Json, type JsonList } from '../json/index.ts'
import { toList } from './convert.ts'
import type { Evaluate, Expression, Scope } from './expression.ts'

/**
 * Compiles the argument of an operator on lists. A literal list of one list stands for that list, so that
 * `["$.spec.ports"]` may be written for `"$.spec.ports"` as in Δ-controller.
 */
export function listArgument(
  operator: string,
  argument: Expression,
  compile: (expression: Expression) => Evaluate,
): (scope: Scope) => JsonList {
  const evaluate = compile(argument)
  const mayWrap = argument.kind === 'list' && argument.items.length === 1
  return (scope) => {
    const list = toList(operator, evaluate(scope))
    const only: Json | undefined = mayWrap ? list[0] : undefined
    const chosen = isList(only) ? only : list
    scope.work?.spendOn(chosen.length)
    return chosen
  }
}
