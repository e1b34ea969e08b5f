import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { sameJson } from '../../apimachinery/json/values.ts'
import { withDefaults, withoutNulls } from './defaults.ts'
import { pruneObject } from './prune.ts'
import { readSchema } from './schema.ts'
import { schemaErrors } from './validate.ts'

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
  it('replaces nulls that are not allowed, and leaves those that are', () => {
    const schema = readSchema({
      type: 'object',
      properties: {
        name: { type: 'string' },
        size: { type: 'integer', default: 3 },
        note: { type: 'string', nullable: true, default: 'none' },
      },
    })
    const object = { name: null, size: null, note: null }
    expect(withDefaults(withoutNulls(object, schema), schema)).toEqual({ size: 3, note: null })
    expect(withDefaults(object, schema)).toEqual({ name: null, size: 3, note: null })
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
  it('reports the errors of the alternative that fits best', () => {
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
    const schema = readSchema({
      type: 'object',
      properties: { name: { type: 'string', minLength: 2 }, size: { type: 'integer', minimum: 1 } },
    })
    const old = { name: 'A', size: 0 }
    expect(schemaErrors({ name: 'A', size: 5 }, schema, { old })).toEqual([])
    expect(schemaErrors({ name: 'B', size: 0 }, schema, { old }).map(({ field }) => field)).toEqual(['name'])
  })
})
