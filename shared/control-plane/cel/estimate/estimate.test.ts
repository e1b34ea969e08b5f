import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readSchema } from '../../apiextensions/structural/schema.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectAt } from '../../apimachinery/json/values.ts'
import { CelEnvironment } from '../environment.ts'
import { SchemaTypes } from '../rules/schema-types.ts'
import { declaredSize, mostValues } from './declared-size.ts'
import { estimateCost, mostCost } from './estimator.ts'
import schemas from './testdata/schemas.json' with { type: 'json' }
import vectors from './testdata/vectors.json' with { type: 'json' }

/** Makes the environment of a custom resource's root, with what every object has. */
function environmentOf(source: JsonObject) {
  const schema = readSchema({
    ...source,
    'x-kubernetes-embedded-resource': true,
    properties: {
      ...objectAt(source, 'properties'),
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: {
        type: 'object',
        properties: { name: { type: 'string' }, generateName: { type: 'string' } },
      },
    },
  })
  const types = new SchemaTypes(schema, 'Self')
  const self = declaredSize(schema)
  if (!self) throw new Error('the schema has no size')
  const variables = { self: types.root, oldSelf: types.root }
  return { self, environment: CelEnvironment.create({ variables, objects: types }) }
}

const environments = new Map(Object.entries(schemas).map(([name, schema]) => [name, environmentOf(schema)]))

describe('the estimate of an expression is what cel-go with the library of kube-apiserver 1.36 makes of it', () => {
  it.each(vectors)('$schema: $expression', ({ schema, expression, least, most }) => {
    const { environment, self } = environments.get(schema) ?? environmentOf({})
    const estimate = estimateCost(environment.compile(expression), self)
    expect([String(estimate.least), String(estimate.most)]).toEqual([least, most])
  })
})

describe('the size of a schema', () => {
  const listOf = (maxItems: number, maxLength: number) =>
    environmentOf({
      type: 'object',
      properties: { list: { type: 'array', maxItems, items: { type: 'string', maxLength } } },
    })
  const costOf = (maxItems: number, maxLength: number): bigint => {
    const { environment, self } = listOf(maxItems, maxLength)
    return mostCost(environment.compile("self.list.all(x, x.matches('^a+$'))"), self)
  }

  it('makes estimates no smaller where its bounds grow', () => {
    const bound = fc.nat(10_000)
    fc.assert(
      fc.property(bound, bound, fc.nat(1000), (items, length, more) => {
        expect(costOf(items + more, length)).toBeGreaterThanOrEqual(costOf(items, length))
        expect(costOf(items, length + more)).toBeGreaterThanOrEqual(costOf(items, length))
      }),
      { numRuns: 50 },
    )
  })

  it('estimates how many values a request can have', () => {
    const small = declaredSize(readSchema({ type: 'integer' }))
    const large = declaredSize(
      readSchema({ type: 'object', required: ['name'], properties: { name: { type: 'string' } } }),
    )
    expect(small && mostValues(small)).toBe(1_572_864n)
    expect(large && mostValues(large)).toBe(241_979n)
  })
})

it('estimating an expression whose macros repeat what they are called on ends', () => {
  const { environment, self } = environments.get('mixed') ?? environmentOf({})
  const text = `optional.of(self.s)${".optMap(x, x + '!')".repeat(60)}.hasValue()`
  expect(mostCost(environment.compile(text), self)).toBeGreaterThan(0n)
})
