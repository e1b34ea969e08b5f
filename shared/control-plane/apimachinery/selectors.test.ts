import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type LabelRequirement, matchesLabels } from '../../kubernetes/index.ts'
import { matchesFields, parseFieldSelector, parseLabelSelector } from './selectors.ts'

const key = fc.constantFrom('app', 'tier', 'ex.io/role', 'n')
const value = fc.constantFrom('', 'x', 'y-1', 'in', '7')
const labels = fc.dictionary(key, value)
const requirement: fc.Arbitrary<LabelRequirement> = fc.oneof(
  fc.record({
    key,
    operator: fc.constantFrom('in', 'notin'),
    values: fc.uniqueArray(value, { minLength: 1 }),
  }),
  fc.record({ key, operator: fc.constantFrom('exists', 'absent'), values: fc.constant([]) }),
  fc.record({ key, operator: fc.constantFrom('gt', 'lt'), values: fc.tuple(fc.constantFrom('0', '9')) }),
)

function write({ key: name, operator, values }: LabelRequirement): string {
  const forms = { exists: name, absent: `!${name}`, gt: `${name}>${values[0]}`, lt: `${name} < ${values[0]}` }
  return operator === 'in' || operator === 'notin'
    ? `${name} ${operator} (${values.join(', ')})`
    : forms[operator]
}

it('a selector that is written out and read again is the same', () => {
  fc.assert(
    fc.property(fc.array(requirement), (requirements) => {
      const sorted = requirements.map((item) => ({ ...item, values: [...item.values].sort() }))
      expect(parseLabelSelector(requirements.map(write).join(','))).toEqual(sorted)
    }),
  )
})

it('labels meet a requirement or its opposite, never both', () => {
  fc.assert(
    fc.property(labels, key, fc.uniqueArray(value, { minLength: 1 }), (object, name, values) => {
      const meets = (operator: LabelRequirement['operator']) =>
        matchesLabels([{ key: name, operator, values }], object)
      expect(meets('in')).toBe(!meets('notin'))
      expect(meets('exists')).toBe(!meets('absent'))
    }),
  )
})

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
