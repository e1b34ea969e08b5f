import { equal, isList, type Json } from '../json/index.ts'
import { toBoolean, toNumber, toPair, wrong } from './convert.ts'
import type { Expression, Scope } from './expression.ts'
import { items, type Operator, type Operators, takes, takesList } from './operator.ts'

/** Evaluates its arguments until one decides; a single argument need not be in a list. */
const shortCircuit = (name: string, decisive: boolean): Operator => ({
  compile: (argument, compile) => {
    const conditions = items(argument).map(compile)
    return (scope) => {
      const found = conditions.some((condition) => toBoolean(name, condition(scope)) === decisive)
      return found === decisive
    }
  },
})

const unary = (apply: (value: Json) => Json): Operator => ({
  compile: (argument, compile) => {
    const evaluate = compile(argument)
    return (scope) => apply(evaluate(scope))
  },
})

/** Takes both arguments as numbers: texts of numbers count as such. */
const compare = (name: string, test: (left: number, right: number) => boolean): Operator => ({
  check: takes(2),
  compile: (argument, compile) => {
    const evaluate = compile(argument)
    return (scope) => {
      const [left, right] = toPair(name, evaluate(scope))
      return test(toNumber(name, left), toNumber(name, right))
    }
  },
})

const cond: Operator = {
  check: takesList(2, 3),
  compile: (argument, compile) => {
    const [condition, then, otherwise] = items(argument).map(compile)
    return (scope) => {
      const chosen = toBoolean('@cond', condition?.(scope) ?? null) ? then : otherwise
      return chosen?.(scope) ?? null
    }
  },
}

/** Returns what is wrong with the pairs of `@switch`, if anything. */
function checkPairs(argument: Expression): string | undefined {
  if (argument.kind !== 'list' || argument.items.length === 0)
    return 'expected a list of [condition, value] pairs'
  const bad = argument.items.findIndex((pair) => pair.kind !== 'list' || pair.items.length !== 2)
  return bad < 0 ? undefined : `expected [condition, value] as element ${bad + 1}`
}

const choose: Operator = {
  check: checkPairs,
  compile: (argument, compile) => {
    const pairs = items(argument).map((pair) => items(pair).map(compile))
    return (scope) => {
      const chosen = pairs.find(([condition]) => toBoolean('@switch', condition?.(scope) ?? null))
      return chosen?.[1]?.(scope) ?? null
    }
  },
}

const definedOr: Operator = {
  check: takesList(2, 2),
  compile: (argument, compile) => {
    const [first, second] = items(argument).map(compile)
    return (scope) => first?.(scope) ?? second?.(scope) ?? null
  },
}

const spenderOf = ({ work }: Scope): (() => void) | undefined => work && (() => work.spendOn(1))

/** False where either side is null: a missing field equals nothing, not even another missing one. */
const eq: Operator = {
  check: takes(2),
  compile: (argument, compile) => {
    const evaluate = compile(argument)
    return (scope) => {
      const [left, right] = toPair('@eq', evaluate(scope))
      return left !== null && right !== null && equal(left, right, spenderOf(scope))
    }
  },
}

const isIn: Operator = {
  check: takes(2),
  compile: (argument, compile) => {
    const evaluate = compile(argument)
    return (scope) => {
      const [value, list] = toPair('@in', evaluate(scope))
      if (!isList(list)) throw wrong('@in', 'a list as second argument', list)
      const spend = spenderOf(scope)
      return list.some((item) => equal(item, value, spend))
    }
  },
}

/** Conditions, comparisons and choices. */
export const logicOperators: Operators = {
  '@and': shortCircuit('@and', false),
  '@or': shortCircuit('@or', true),
  '@not': unary((value) => !toBoolean('@not', value)),
  '@isnil': unary((value) => value === null),
  '@exists': unary((value) => value !== null),
  '@has': unary((value) => value !== null),
  '@cond': cond,
  '@switch': choose,
  '@definedOr': definedOr,
  '@eq': eq,
  '@in': isIn,
  '@lt': compare('@lt', (left, right) => left < right),
  '@lte': compare('@lte', (left, right) => left <= right),
  '@gt': compare('@gt', (left, right) => left > right),
  '@gte': compare('@gte', (left, right) => left >= right),
}
