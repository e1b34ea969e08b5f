import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sizeOf } from './value.ts'

it('a text is as large as it has code points, halves of surrogate pairs by themselves included', () => {
  const unit = fc.oneof(fc.integer({ min: 0xd7fe, max: 0xe001 }), fc.integer({ min: 0x60, max: 0x64 }))
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
      const text = String.fromCharCode(...units)
      expect(sizeOf(text)).toBe([...text].length)
    }),
  )
  expect(sizeOf('a😀é')).toBe(3)
})
