import { describe, expect, it } from 'vitest'
import { readSchema } from '../../apiextensions/structural/schema.ts'
import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isObject } from '../../apimachinery/json/values.ts'
import { RuleCompiler, RuleValidator } from '../index.ts'

const compiler = new RuleCompiler()

const PROPERTIES: JsonObject = {
  count: { type: 'integer' },
  ratio: { type: 'number' },
  text: { type: 'string' },
  'dashed-name': { type: 'string' },
  in: { type: 'boolean' },
  when: { type: 'string', format: 'date-time' },
  every: { type: 'string', format: 'duration' },
  port: { 'x-kubernetes-int-or-string': true },
  numbers: { type: 'array', items: { type: 'integer' } },
  parts: {
    type: 'array',
    items: { type: 'object', properties: { id: { type: 'string' }, size: { type: 'integer' } } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['id'],
  },
  labels: { type: 'object', additionalProperties: { type: 'string' } },
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
}
const OBJECT: JsonObject = {
  count: 2,
  ratio: 1.5,
  text: 'abc',
  'dashed-name': 'd',
  in: true,
  when: '2026-01-02T03:04:05Z',
  every: '1h30m',
  port: 80,
  numbers: [1, 2, 3],
  parts: [
    { id: 'a', size: 1 },
    { id: 'b', size: 2 },
  ],
  labels: { app: 'web' },
  free: { anything: [1] },
}

function errorsOf(rules: JsonObject | readonly JsonObject[], object: JsonValue = OBJECT, old?: JsonValue) {
  const listed = Array.isArray(rules) ? [...rules] : [rules as JsonObject]
  const schema = readSchema({
    type: 'object',
    properties: PROPERTIES,
    'x-kubernetes-validations': listed,
  })
  return new RuleValidator(schema, compiler).validate(isObject(object) ? object : {}, schema, { old })
}

describe('a rule', () => {
  it.each([
    'self.count == 2 && self.count + 1 < 4',
    'self.ratio > 1.0 && self.ratio < 2.0',
    "self.text.startsWith('a') && size(self.text) == 3",
    "self.text.matches('^[a-c]+$') && !self.text.matches('d')",
    "self.dashed__dash__name == 'd'",
    'self.__in__',
    "self.when > timestamp('2026-01-01T00:00:00Z') && self.when.getFullYear() == 2026",
    "self.every == duration('90m')",
    "type(self.port) == int || self.port == 'http'",
    'self.numbers.all(n, n > 0) && self.numbers.exists(n, n == 3) && self.numbers.isSorted()',
    'self.numbers.sum() == 6 && self.numbers.max() == 3 && self.numbers.indexOf(2) == 1',
    "self.parts.map(p, p.size) == [1, 2] && self.parts.filter(p, p.size > 1)[0].id == 'b'",
    "self.parts.exists_one(p, p.id == 'a') && self.parts.all(p, self.parts.exists(q, q.id == p.id))",
    "'app' in self.labels && self.labels['app'] == 'web' && self.labels.all(k, k.size() < 10)",
    'has(self.text) && !has(self.labels.missing)',
    "self.labels.?missing.orValue('none') == 'none'",
    "'a,b'.split(',').size() == 2 && 'x'.replace('x', 'y') == 'y'",
  ])('%s holds', (rule) => {
    expect(errorsOf({ rule })).toEqual([])
  })

  it('that cannot be evaluated says why', () => {
    expect(errorsOf({ rule: "self.labels.missing == ''" })).toEqual([
      {
        reason: 'FieldValueInvalid',
        field: '<nil>',
        message: 'Invalid value: "object": no such key: missing evaluating rule: self.labels.missing == \'\'',
      },
    ])
  })

  it('is not asked again of what stays as it was stored', () => {
    expect(errorsOf({ rule: 'self.count > 5' }, OBJECT, structuredClone(OBJECT))).toEqual([])
  })
})

describe('reading a rule', () => {
  const read = (rule: string): unknown => {
    const source = { type: 'object', properties: PROPERTIES, 'x-kubernetes-validations': [{ rule }] }
    const schema = readSchema(source)
    const [first] = schema.rules
    return first && compiler.compileRule(first, schema)
  }

  it.each([
    ['self.cuont > 1', "undefined field 'cuont'"],
    ['self.parts.all(p, p.name == "a")', "undefined field 'name'"],
    ['self.parts[0].weight > 1', "undefined field 'weight'"],
    ['has(self.free.anything)', "undefined field 'anything'"],
    ['1 + 1', 'cel expression must evaluate to a bool'],
    ["self.count == 'a'", "found no matching overload for '_==_' applied to '(int, string)'"],
    ['self.port', 'cel expression must evaluate to a bool'],
    ['self.count >', 'Syntax error'],
    ['other.count > 1', "undeclared reference to 'other'"],
  ])('refuses %s', (rule, why) => {
    expect(() => read(rule)).toThrow(why)
  })

  it('accepts what only an evaluation can reject', () => {
    expect(() => read("self.labels.any == '' && self.port.size() == 1")).not.toThrow()
  })
})
