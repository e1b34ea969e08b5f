import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type JsonObject, type JsonValue, sameJson } from '../../apimachinery/json/index.ts'
import { listTypeErrors, pruneObject, readSchema, schemaErrors, withDefaults, withoutNulls } from './index.ts'

const WIDGET: JsonObject = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', minLength: 2, pattern: '^[a-z]+$' },
        size: { type: 'integer', default: 3, minimum: 1, exclusiveMinimum: true },
        note: { type: 'string', nullable: true, default: 'none' },
        step: { type: 'number', multipleOf: 0.1 },
        nested: { type: 'object', default: {}, properties: { deep: { type: 'boolean', default: true } } },
        any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        port: { 'x-kubernetes-int-or-string': true },
        tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        when: { type: 'string', format: 'date-time' },
      },
    },
  },
}

const spec = (content: JsonObject, schema = WIDGET): ReturnType<typeof schemaErrors> =>
  schemaErrors({ spec: content }, readSchema(schema))
const messages = (content: JsonObject, schema = WIDGET): string[] =>
  spec(content, schema).map(({ field, message }) => `${field}: ${message}`)

/**
 * Any schema of a few levels, as a CustomResourceDefinition may have it; defaults are values of their types.
 */
const schemas: fc.Arbitrary<JsonObject> = fc.letrec<{ schema: JsonObject; object: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonObject>(
      { type: 'string' },
      { type: 'string', default: 'a', minLength: 1 },
      { type: 'integer', default: 1, maximum: 3 },
      { type: 'boolean', nullable: true },
      { type: 'boolean', default: false },
      { 'x-kubernetes-int-or-string': true, default: '1' },
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    ),
    fc.record<JsonObject>({ type: fc.constant('array'), items: tie('schema') }),
    fc.record<JsonObject>({ type: fc.constant('object'), additionalProperties: tie('schema') }),
    tie('object'),
  ),
  object: fc
    .dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor'), tie('schema'), { maxKeys: 3 })
    .map((properties) => ({ type: 'object', properties })),
})).object
const values: fc.Arbitrary<JsonObject> = fc
  .object({
    key: fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'),
    maxDepth: 4,
    values: [fc.string(), fc.integer({ min: 0, max: 5 }), fc.boolean(), fc.constant(null)],
  })
  .map((value) => JSON.parse(JSON.stringify(value)))

describe('pruning', () => {
  it('drops what the schema does not declare, and says what', () => {
    const object = {
      apiVersion: 'v1',
      kind: 'W',
      metadata: { x: 1 },
      spec: { name: 'a', b: 1, tags: [{ c: 1 }] },
      d: 1,
    }
    expect(pruneObject(object, readSchema(WIDGET))).toEqual({
      value: { apiVersion: 'v1', kind: 'W', metadata: { x: 1 }, spec: { name: 'a', tags: [{}] } },
      paths: ['d', 'spec.b', 'spec.tags[0].c'],
    })
  })

  it('keeps what a schema preserves', () => {
    const object = { spec: { any: { thing: [{ here: null }] } } }
    expect(pruneObject(object, readSchema(WIDGET))).toEqual({ value: object, paths: [] })
  })

  it('is done after one time, whatever schema and object', () => {
    fc.assert(
      fc.property(schemas, values, (source, object) => {
        const schema = readSchema(source)
        const once = pruneObject(object, schema).value
        expect(pruneObject(once, schema)).toEqual({ value: once, paths: [] })
      }),
    )
  })

  it('takes members named like those of every JavaScript object as any others', () => {
    const object = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 1, "toString": 2}')
    const schema = readSchema(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"object"}}}'))
    const { value, paths } = pruneObject(object, schema)
    expect(JSON.stringify(value)).toBe('{"__proto__":{}}')
    expect(paths).toEqual(['__proto__.polluted', 'constructor', 'toString'])
    expect(JSON.stringify(withDefaults(value, schema))).toBe('{"__proto__":{}}')
    expect(Object.prototype).not.toHaveProperty('polluted')
  })
})

describe('defaulting', () => {
  it('fills in what is not there, within defaults too', () => {
    expect(withDefaults({ spec: { name: 'a' } }, readSchema(WIDGET))).toEqual({
      spec: { name: 'a', size: 3, note: 'none', nested: { deep: true } },
    })
  })

  it('replaces nulls that are not allowed, and leaves those that are', () => {
    const object = { spec: { name: null, size: null, note: null, nested: { deep: null } } }
    const schema = readSchema(WIDGET)
    expect(withDefaults(withoutNulls(object, schema), schema)).toEqual({
      spec: { size: 3, note: null, nested: { deep: true } },
    })
    expect(withDefaults(object, schema)).toEqual({
      spec: { name: null, size: 3, note: null, nested: { deep: true } },
    })
  })

  it('makes no object that was not there', () => {
    expect(withDefaults({}, readSchema(WIDGET))).toEqual({})
  })

  it('is done after one time, and what it adds is right and not pruned, whatever schema', () => {
    fc.assert(
      fc.property(schemas, values, (source, object) => {
        const schema = readSchema(source)
        const pruned = pruneObject(object, schema).value
        const once = withDefaults(pruned, schema)
        expect(sameJson(withDefaults(once, schema), once)).toBe(true)
        expect(pruneObject(once, schema).paths).toEqual([])
        const fromNothing = withDefaults({}, schema)
        expect(schemaErrors(fromNothing, schema)).toEqual([])
      }),
    )
  })
})

describe('validation', () => {
  const cases: [string, JsonObject, string[]][] = [
    ['nothing wrong', { name: 'ab', size: 2, step: 0.3, port: 80, when: '2026-01-01T00:00:00Z' }, []],
    ['a missing field', {}, ['spec.name: Required value']],
    [
      'a bound that is not in the range',
      { name: 'ab', size: 1 },
      ['spec.size: Invalid value: 1: spec.size in body should be greater than 1'],
    ],
    [
      'no multiple',
      { name: 'ab', step: 0.25 },
      ['spec.step: Invalid value: 0.25: spec.step in body should be a multiple of 0.1'],
    ],
    [
      'of two faults of one text the first',
      { name: 'A' },
      ['spec.name: Invalid value: "A": spec.name in body should be at least 2 chars long'],
    ],
    [
      'a wrong format',
      { name: 'ab', when: 'now' },
      ['spec.when: Invalid value: "now": spec.when in body must be of type date-time: "now"'],
    ],
    [
      'a null',
      { name: null },
      ['spec.name: Invalid value: "null": spec.name in body must be of type string: "null"'],
    ],
    [
      'a fraction for an integer',
      { name: 'ab', size: 1.5 },
      [
        'spec.size: Invalid value: "number": spec.size in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.size',
      ],
    ],
  ]

  it.each(cases)('finds %s', (_what, content, expected) => {
    expect(messages(content)).toEqual(expected)
  })

  it('tells of alternatives the errors of the one that fits best', () => {
    const schema = readSchema({
      type: 'object',
      properties: { a: { type: 'integer' } },
      oneOf: [{ properties: { a: { minimum: 5 } } }, { properties: { a: { maximum: 1 } } }],
    })
    expect(schemaErrors({ a: 3 }, schema).map(({ message }) => message)).toEqual([
      'Invalid value: "": "" must validate one and only one schema (oneOf). Found none valid',
      'Invalid value: 3: a in body should be greater than or equal to 5',
    ])
    expect(schemaErrors({ a: 7 }, schema)).toEqual([])
  })

  it('leaves alone what has not changed since it was stored', () => {
    const schema = readSchema(WIDGET)
    const old: JsonValue = { spec: { name: 'A', size: 0 } }
    expect(schemaErrors({ spec: { name: 'A', size: 5 } }, schema, { old })).toEqual([])
    expect(schemaErrors({ spec: { name: 'B', size: 0 } }, schema, { old }).map(({ field }) => field)).toEqual(
      ['spec.name'],
    )
  })

  it('finds what stands twice in a set', () => {
    const errors = listTypeErrors({ spec: { tags: ['a', 'b', 'a', 'a'] } }, readSchema(WIDGET))
    expect(errors.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'spec.tags[2]: Duplicate value: "a"',
    ])
  })
})
