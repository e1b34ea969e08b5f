import { describe, expect, it } from 'vitest'
import { readSchema } from '../apiextensions/structural/schema.ts'
import { CelEnvironment } from './environment.ts'
import { CelError, CostBudget, CostError } from './index.ts'
import { doubleText } from './library/text/conversions.ts'
import { SchemaTypes } from './rules/schema-types.ts'
import { readsVariable } from './syntax/nodes.ts'
import variables from './testdata/variables.json' with { type: 'json' }
import vectors from './testdata/vectors.json' with { type: 'json' }
import { DYN, formatType, STRING } from './types/type.ts'
import { fromJson } from './values/json.ts'
import { durationText, timestampText } from './values/time.ts'
import {
  CelMap,
  type CelValue,
  Duration,
  isList,
  Optional,
  Timestamp,
  TypeValue,
  typeNameOf,
  Uint,
} from './values/value.ts'

const schema = readSchema(variables.schema)
const types = new SchemaTypes(schema, 'Self')
const environment = CelEnvironment.create({
  variables: { self: types.root, d: DYN, text: STRING },
  objects: types,
})
const values = { self: fromJson(variables.object, schema), d: fromJson(variables.dyn) }
const WHOLE = 10_000_000

/** Formats a value as the program does that recorded the vectors. */
function shown(value: CelValue): string {
  if (isList(value)) return `[${value.map(shown).join(', ')}]`
  if (value instanceof CelMap) {
    const members = value.keys().map((key) => `${shown(key)}: ${shown(value.get(key) ?? null)}`)
    return `{${members.sort().join(', ')}}`
  }
  if (value instanceof Optional) return value.value === undefined ? 'none' : `optional(${shown(value.value)})`
  return shownScalar(value)
}

function shownScalar(value: CelValue): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') return `double(${doubleText(value)})`
  if (value instanceof Uint) return `${value.value}u`
  if (value instanceof Uint8Array) return `b${JSON.stringify(Buffer.from(value).toString())}`
  if (value instanceof Duration) return `duration(${durationText(value)})`
  if (value instanceof Timestamp) return `timestamp(${timestampText(value)})`
  if (value instanceof TypeValue) return value.name
  return typeof value === 'object' && value !== null ? typeNameOf(value) : String(value)
}

/** Durations and what only functions look into are written otherwise by the recording program. */
function sameShape(text: string): string {
  return text.replace(/^duration\(.*\)$/, 'duration').replace(/^((net|kubernetes)\.\w+).*$/, '$1')
}

/** Go walks through maps in no order: what such a walk costs may differ. */
const UNORDERED = new Set([
  "self.labels.map(k, self.labels[k]).exists(v, v == 'web')",
  "d.?zz.k.orValue('none')",
])

describe('an expression, as cel-go with the library of kube-apiserver 1.36 evaluates it', () => {
  it.each(vectors)('$expression', ({ expression, type, issues, value, error, cost }) => {
    if (issues !== undefined) {
      expect(() => environment.compile(expression)).toThrow(new CelError(issues))
      return
    }
    const compiled = environment.compile(expression)
    expect(formatType(compiled.type)).toBe(type)
    const budget = new CostBudget()
    if (error !== undefined) {
      expect(() => compiled.evaluate(values, budget)).toThrow(new CelError(error))
      return
    }
    expect(sameShape(shown(compiled.evaluate(values, budget)))).toBe(sameShape(value))
    if (!UNORDERED.has(expression)) expect(WHOLE - budget.remaining).toBe(cost)
  })
})

describe('evaluation', () => {
  const evaluate = (text: string, given: Readonly<Record<string, CelValue>>): CelValue =>
    environment.compile(text).evaluate(given, new CostBudget())

  it('of comprehensions within comprehensions ends', () => {
    const d = Array.from({ length: 500 }, (_, index) => BigInt(index))
    expect(() => evaluate('d.all(a, d.all(b, d.all(c, a + b + c >= 0)))', { d })).toThrow(CostError)
  })

  it('stops at the cost that one expression may have, though the budget has more', () => {
    const d = Array.from({ length: 1000 }, (_, index) => BigInt(index))
    const budget = new CostBudget()
    const expression = environment.compile('d.all(a, d.all(b, a + b >= 0))')
    expect(() => expression.evaluate({ d }, budget)).toThrow(CostError)
    expect(budget.remaining).toBeGreaterThan(WHOLE - 1_100_000)
  })

  it('of regular expressions that go back and forth elsewhere ends', () => {
    expect(evaluate("text.matches('^(a+)+$')", { text: `${'a'.repeat(5000)}b` })).toBe(false)
    expect(evaluate("text.findAll('(a|aa)+$')", { text: `${'a'.repeat(2000)}b` })).toEqual([])
  })

  it.each([
    ["text.replace('a', text + text)", 'the text is longer than'],
    ['lists.range(100000000)', 'lists.range: more than'],
  ])('of %s makes nothing that fills the memory', (text, why) => {
    expect(() => evaluate(text, { text: 'a'.repeat(10_000) })).toThrow(why)
  })

  it('reports malformed patterns', () => {
    expect(() => evaluate('text.matches(text)', { text: '[' })).toThrow(CelError)
  })

  it('does not take what JavaScript objects have for members', () => {
    const d = fromJson({ a: 1 })
    expect(evaluate("has(d.constructor) || 'toString' in d || has(d.__proto__)", { d })).toBe(false)
    expect(() => evaluate('toString', {})).toThrow(CelError)
  })
})

describe('reading', () => {
  it.each([
    ['parentheses', `${'('.repeat(300)}1${')'.repeat(300)}`, 'recursion limit'],
    ['a text without end', `'${'a'.repeat(200_000)}'`, 'exceeds limit'],
    ['sums', `1${' + 1'.repeat(20_000)}`, 'recursion limit'],
    ['fields', `d${'.a'.repeat(20_000)}`, 'recursion limit'],
    ['lists', `${'['.repeat(300)}1${']'.repeat(300)}`, 'recursion limit'],
  ])('refuses %s nested or long beyond measure', (_what, text, why) => {
    expect(() => environment.compile(text)).toThrow(why)
  })

  it('of macros that repeat what they are called on ends, and their evaluation does', () => {
    const text = `optional.of(text)${".optMap(x, x + '!')".repeat(60)}.hasValue()`
    const expression = environment.compile(text)
    expect(readsVariable(expression.ast, 'text')).toBe(true)
    expect(() => expression.evaluate({ text: 'a' }, new CostBudget())).toThrow(CostError)
  })

  it('takes long chains, which are not deep', () => {
    const text = Array.from({ length: 2000 }, () => 'text != text').join(' || ')
    expect(environment.compile(text).evaluate({ text: 'a' }, new CostBudget())).toBe(false)
  })
})
