import { expect, it } from 'vitest'
import type { JsonValue } from '../json/exact-numbers.ts'
import { Field } from './field.ts'
import { dns1035Label } from './names.ts'

const reported = (value: JsonValue, validate: (field: Field) => void): string[] =>
  new Field(value).collect(validate).map(({ field, message }) => `${field}: ${message}`)

it('names members, items and keys as upstream does, in the order of the checks', () => {
  const object = { spec: { ports: [{}, { name: 'B' }], 'a.b': 'x' } }
  expect(
    reported(object, (field) => {
      const spec = field.child('spec')
      spec.child('ports').item(1).child('name').oneOf(['a'])
      spec.key('a.b').forbidden('no')
      spec.child('selector', 'app').notEmpty()
      spec.as('status').invalid('wrong', 1)
    }),
  ).toEqual([
    'spec.ports[1].name: Unsupported value: "B": supported values: "a"',
    'spec[a.b]: Forbidden: no',
    'spec.selector.app: Required value',
    'status: Invalid value: 1: wrong',
  ])
})

it('takes null for a pointer that is not set, and an empty text for one that is not filled', () => {
  const check = ({ ifSet, ifFilled }: Field): boolean[] => [ifSet !== undefined, ifFilled !== undefined]
  expect([undefined, null, '', 'a'].map((value) => check(new Field(value)))).toEqual([
    [false, false],
    [false, false],
    [true, false],
    [true, true],
  ])
})

it('has no member that only the prototype of objects has', () => {
  expect(new Field({}).key('constructor').value).toBeUndefined()
})

it('reports a key that was seen before', () => {
  const seen = new Set<string>()
  const list = ['a', 'b', 'a']
  const errors = reported(list, (field) => {
    for (const item of field.items()) item.unique(seen)
  })
  expect(errors).toEqual(['[2]: Duplicate value: "a"'])
})

it('refuses a long DNS label in the words of apimachinery 1.36', () => {
  expect(dns1035Label('a'.repeat(64))).toEqual(['must be no more than 63 characters'])
})
