import { expect, it } from 'vitest'
import { conversionError } from './conversion-error.ts'

it.each([
  ['a number in place of a text', { data: { color: 5 } }, 'cannot convert int64 to string'],
  ['a fraction in place of a text', { data: { color: 1.5 } }, 'unrecognized type: string'],
  ['a list in place of a map', { data: ['a'] }, 'cannot restore map from slice'],
  ['a text in place of an object', { metadata: 'x' }, 'cannot restore struct from: string'],
  ['an object in place of a list', { metadata: { finalizers: {} } }, 'cannot restore slice from map'],
  ['a number in place of a flag', { immutable: 1 }, 'unrecognized type: bool'],
  ['a fraction in place of a number', { metadata: { generation: 1.5 } }, 'cannot convert float64 to int64'],
  ['a number in place of bytes', { binaryData: { a: 1 } }, 'cannot restore slice from int64'],
])('reports %s', (_, object, error) => {
  expect(conversionError(object, 'core.ConfigMap')).toBe(error)
})

it('takes an object of its type, null for any field, and fields that it does not know', () => {
  const object = { data: { a: 'b' }, immutable: null, metadata: { creationTimestamp: null }, other: [1] }
  expect(conversionError(object, 'core.ConfigMap')).toBeUndefined()
})
