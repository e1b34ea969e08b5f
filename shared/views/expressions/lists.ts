import type { Json, JsonList } from '../json/index.ts'
import { Work } from '../work.ts'
import { toBoolean, toList } from './convert.ts'
import { listArgument } from './list-argument.ts'
import { items, type Operator, type Operators, takesList } from './operator.ts'

/** Work of a list operator and all within it: far more than a thousand elements by a thousand. */
const MAX_WORK = 2_000_000

/** Makes an operator that evaluates its first argument on every element of its second, a list. */
const perElement = (
  name: string,
  apply: (list: JsonList, evaluate: (element: Json) => Json) => Json,
): Operator => ({
  check: takesList(2, 2),
  bindsElement: true,
  compile: (argument, compile) => {
    const [onElement, list] = items(argument).map(compile)
    return (scope) => {
      const work = scope.work ?? new Work(MAX_WORK, name)
      const { root, environment } = scope
      return apply(toList(name, list?.(scope) ?? null), (local) => {
        work.spend()
        return onElement?.({ root, environment, local, work }) ?? null
      })
    }
  },
})

const tests = (name: string, apply: (list: JsonList, test: (element: Json) => boolean) => Json): Operator =>
  perElement(name, (list, evaluate) => apply(list, (item) => toBoolean(name, evaluate(item))))

const len: Operator = {
  compile: (argument, compile) => {
    const list = listArgument('@len', argument, compile)
    return (scope) => list(scope).length
  },
}

/** Lists. `$$` is the element at hand within the first argument. */
export const listOperators: Operators = {
  '@map': perElement('@map', (list, evaluate) => list.map(evaluate)),
  '@filter': tests('@filter', (list, test) => list.filter(test)),
  '@any': tests('@any', (list, test) => list.some(test)),
  '@all': tests('@all', (list, test) => list.every(test)),
  '@none': tests('@none', (list, test) => !list.some(test)),
  '@len': len,
}
