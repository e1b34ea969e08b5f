import { isIP } from 'node:net'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addressProblem } from './address-problem.ts'

it('nothing is wrong with the addresses that Node knows, and something with every other text', () => {
  const group = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('0', '1', 'ff', 'fe80', '255', '12', '8') },
    { weight: 1, arbitrary: fc.constantFrom('', '00', '256', 'g', '12345', '1.2.3.4', '::') },
  )
  const joined = (separator: string, groups: fc.ArrayConstraints): fc.Arbitrary<string> =>
    fc.array(group, groups).map((groups) => groups.join(separator))
  const text = fc.oneof(
    joined('.', { minLength: 2, maxLength: 5 }),
    joined(':', { minLength: 2, maxLength: 9 }),
    fc.tuple(joined(':', { maxLength: 6 }), joined(':', { maxLength: 6 })).map((parts) => parts.join('::')),
  )
  fc.assert(
    fc.property(text, (address) => {
      expect([address, addressProblem(address) === undefined]).toEqual([address, isIP(address) !== 0])
    }),
    { numRuns: 2000 },
  )
})
