import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromFieldsV1, toFieldsV1 } from '../managers.ts'
import {
  difference,
  emptySet,
  type FieldSet,
  insertField,
  intersection,
  isEmptySet,
  union,
} from './field-set.ts'
import { pathText } from './path-element.ts'

const element = fc.constantFrom('f:a', 'f:b', 'f:.', 'k:{"port":80}', 'k:{"port":443}', 'v:"x"', 'v:2')
const path = fc.array(element, { minLength: 1, maxLength: 4 })
const set = fc.array(path, { maxLength: 8 }).map(setOf)

function setOf(paths: readonly string[][]): FieldSet {
  const out = emptySet()
  for (const each of paths) insertField(out, each)
  return out
}

const shown = (value: FieldSet): string => JSON.stringify(toFieldsV1(value))
const same = (a: FieldSet, b: FieldSet): void => expect(shown(a)).toBe(shown(b))

describe('sets of fields', () => {
  it('are added in any order and any number of times', () => {
    fc.assert(
      fc.property(set, set, set, (a, b, c) => {
        same(union(a, b), union(b, a))
        same(union(a, union(b, c)), union(union(a, b), c))
        same(union(a, a), a)
      }),
    )
  })

  it('have in common what is in neither difference', () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        same(intersection(a, b), intersection(b, a))
        same(union(difference(a, b), intersection(a, b)), a)
        expect(isEmptySet(intersection(difference(a, b), b))).toBe(true)
      }),
    )
  })

  it('without themselves are empty, without nothing the same', () => {
    fc.assert(
      fc.property(set, (a) => {
        expect(isEmptySet(difference(a, a))).toBe(true)
        same(difference(a, emptySet()), a)
        same(intersection(a, a), a)
      }),
    )
  })

  it('are left as they are by what is made of them', () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const before = [shown(a), shown(b)]
        union(a, b)
        difference(a, b)
        intersection(a, b)
        expect([shown(a), shown(b)]).toEqual(before)
      }),
    )
  })

  it('come back from FieldsV1 as they went', () => {
    fc.assert(
      fc.property(set, (a) => {
        const back = fromFieldsV1(toFieldsV1(a))
        expect(back && shown(back)).toBe(shown(a))
      }),
    )
  })
})

describe('FieldsV1', () => {
  it('has members by name, then elements by the size of their keys, then values', () => {
    const fields = setOf([['v:2'], ['k:{"port":443}'], ['f:b'], ['k:{"port":80}'], ['v:10'], ['f:a']])
    expect(Object.keys(toFieldsV1(fields))).toEqual([
      'f:a',
      'f:b',
      'k:{"port":80}',
      'k:{"port":443}',
      'v:2',
      'v:10',
    ])
  })

  it('says with a dot that a field with fields below it is in the set', () => {
    expect(toFieldsV1(setOf([['f:a'], ['f:a', 'f:b']]))).toEqual({ 'f:a': { '.': {}, 'f:b': {} } })
    expect(toFieldsV1(setOf([['f:a', 'f:b']]))).toEqual({ 'f:a': { 'f:b': {} } })
  })

  it('is read whatever the order of the keys of an element', () => {
    const read = fromFieldsV1({ 'k:{"protocol":"TCP", "port":80}': {} })
    expect(read && toFieldsV1(read)).toEqual({ 'k:{"port":80,"protocol":"TCP"}': {} })
  })

  it.each([{ 'x:a': {} }, { a: {} }, { 'k:[1]': {} }, { 'v:nothing': {} }, { 'f:a': 'b' }])(
    'is not read where it has something else: %j',
    (fields) => {
      expect(fromFieldsV1(fields)).toBeUndefined()
    },
  )
})

it('paths are written for people', () => {
  expect(pathText(['f:spec', 'f:ports', 'k:{"port":80,"protocol":"TCP"}', 'f:name'])).toBe(
    '.spec.ports[port=80,protocol="TCP"].name',
  )
  expect(pathText(['f:metadata', 'f:finalizers', 'v:"a.b/c"'])).toBe('.metadata.finalizers[="a.b/c"]')
})
