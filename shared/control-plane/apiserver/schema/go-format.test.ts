import { expect, it } from 'vitest'
import { goFormat } from './go-format.ts'

it('prints members sorted, lists without commas and null as <nil>', () => {
  expect(goFormat({ b: [1, 'two', true], a: { c: null } })).toBe('map[a:map[c:<nil>] b:[1 two true]]')
  expect(goFormat({})).toBe('map[]')
})
