import { expect, it } from 'vitest'
import { CelEnvironment } from './environment.ts'
import { CelError, CostBudget, CostError } from './index.ts'

const environment = CelEnvironment.create({ variables: {} })
const doubled = (start: string, step: string): string => `[${start}]${`.map(x, ${step})`.repeat(40)}`
const nested = doubled('[dyn(1)]', '[x, x]')

it.each([
  ['a list that is joined with itself', `size(${doubled('[1]', 'x + x')}) > 0`],
  ['a list in a list, when it is compared', `${nested} == ${nested}`],
  ['a list in a list, when its items are distinguished', `(${nested} + ${nested}).distinct().size() == 1`],
  ['a list in a list, when it is flattened', `${nested}.flatten(50).size() > 0`],
  ['a list in a list, when it is written', `'%s'.format(${nested}) == ''`],
])('an expression that doubles %s again and again fails soon', (_, text) => {
  const expression = environment.compile(text)
  expect(() => expression.evaluate({}, new CostBudget())).toThrow(
    new CelError('the values that the expression makes are too large'),
  )
})

it('lists that are made again and again count together', () => {
  const text = 'lists.range(100).all(i, size(lists.range(50000) + lists.range(50000)) > 0)'
  const expression = environment.compile(text)
  expect(() => expression.evaluate({}, new CostBudget())).toThrow(CelError)
})

it('an expression whose types double again and again is refused soon', () => {
  const text = `[1]${'.map(x, {x: x})'.repeat(40)}.size() > 0`
  expect(() => environment.compile(text)).toThrow(new CelError('the types of the expression are too large'))
})

it.each([
  ['in conditions', `(${'false ? 1 : '.repeat(200)}2) == 2`],
  ['of names of types', Array(50).fill('(true ? int : int) == (true ? int : int)').join(' && ')],
])('conditions %s do not give back what the rest of an expression costs', (_, choice) => {
  const text = `lists.range(100).all(a, lists.range(100).all(b, ${choice}))`
  const budget = new CostBudget(10_000)
  expect(() => environment.compile(text).evaluate({}, budget)).toThrow(CostError)
})

it('an expression of thousands of comparisons is checked', () => {
  const text = Array.from({ length: 10_000 }, () => '1 == 1').join(' && ')
  expect(environment.compile(text).evaluate({}, new CostBudget())).toBe(true)
})
