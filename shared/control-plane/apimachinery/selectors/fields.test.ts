import fc from 'fast-check'
import { expect, it } from 'vitest'
import { matchesFields, parseFieldSelector } from './fields.ts'

it('any value can be selected by when it is escaped', () => {
  fc.assert(
    fc.property(fc.string(), fc.boolean(), (value, equal) => {
      const escaped = value.replaceAll(/[\\,=]/g, (special) => `\\${special}`)
      const [requirement] = parseFieldSelector(`metadata.name${equal ? '=' : '!='}${escaped}`)
      expect(requirement).toEqual({ field: 'metadata.name', equal, value })
    }),
  )
})

it('a field that an object lacks is empty', () => {
  expect(matchesFields(parseFieldSelector('spec.nodeName='), () => '')).toBe(true)
  expect(matchesFields(parseFieldSelector('spec.nodeName!='), () => '')).toBe(false)
})

it('refuses a term without an operator', () => {
  expect(() => parseFieldSelector('metadata.name')).toThrow(
    "invalid selector: 'metadata.name'; can't understand 'metadata.name'",
  )
})
