import { EvaluationError } from '../errors.ts'
import type { Json, JsonList } from '../json/index.ts'
import { finite, toInteger, toNumber, toPair } from './convert.ts'
import { listArgument } from './list-argument.ts'
import { type Operator, type Operators, takes } from './operator.ts'

const binary = (name: string, apply: (left: number, right: number) => number): Operator => ({
  check: takes(2),
  compile: (argument, compile) => {
    const evaluate = compile(argument)
    return (scope) => {
      const [left, right] = toPair(name, evaluate(scope))
      return finite(name, apply(toNumber(name, left), toNumber(name, right)))
    }
  },
})

const unary = (name: string, apply: (value: number) => number): Operator => ({
  compile: (argument, compile) => {
    const evaluate = compile(argument)
    // Adding 0 turns -0 into 0, as JSON does not distinguish them.
    return (scope) => apply(toNumber(name, evaluate(scope))) + 0
  },
})

const aggregate = (name: string, apply: (numbers: readonly number[]) => Json): Operator => ({
  compile: (argument, compile) => {
    const list = listArgument(name, argument, compile)
    return (scope) => apply(list(scope).map((item) => toNumber(name, item)))
  },
})

function divide(left: number, right: number): number {
  if (right === 0) throw new EvaluationError('@div: expected a divisor other than 0')
  return left / right
}

const extreme =
  (better: (candidate: number, best: number) => boolean) =>
  (numbers: readonly number[]): Json =>
    numbers.reduce<number | null>(
      (best, value) => (best === null || better(value, best) ? value : best),
      null,
    )

/** Elements that `@range` may make; more would fill the memory from a few characters of a spec. */
const MAX_RANGE = 100_000

const range: Operator = {
  check: takes(2),
  compile: (argument, compile) => {
    const evaluate = compile(argument)
    return (scope): JsonList => {
      const [start, end] = toPair('@range', evaluate(scope)).map((bound) => toInteger('@range', bound))
      if (start === undefined || end === undefined || start >= end) return []
      if (end - start > MAX_RANGE) throw new EvaluationError(`@range: expected at most ${MAX_RANGE} elements`)
      scope.work?.spend(end - start)
      return Array.from({ length: end - start }, (_, index) => start + index)
    }
  },
}

const random: Operator = {
  check: takes(2),
  compile: (argument, compile) => {
    const evaluate = compile(argument)
    return (scope) => {
      const [low, high] = toPair('@rnd', evaluate(scope)).map((bound) => toInteger('@rnd', bound))
      if (low === undefined || high === undefined || low >= high) {
        throw new EvaluationError('@rnd: expected the first argument to be below the second')
      }
      return low + Math.floor(scope.environment.random() * (high - low))
    }
  },
}

/** Arithmetic. Texts of numbers count as numbers. */
export const numberOperators: Operators = {
  '@add': binary('@add', (left, right) => left + right),
  '@sub': binary('@sub', (left, right) => left - right),
  '@mul': binary('@mul', (left, right) => left * right),
  '@div': binary('@div', divide),
  '@abs': unary('@abs', Math.abs),
  '@ceil': unary('@ceil', Math.ceil),
  '@floor': unary('@floor', Math.floor),
  '@sum': aggregate('@sum', (numbers) =>
    finite(
      '@sum',
      numbers.reduce((sum, value) => sum + value, 0),
    ),
  ),
  '@min': aggregate(
    '@min',
    extreme((candidate, best) => candidate < best),
  ),
  '@max': aggregate(
    '@max',
    extreme((candidate, best) => candidate > best),
  ),
  '@range': range,
  '@rnd': random,
}
