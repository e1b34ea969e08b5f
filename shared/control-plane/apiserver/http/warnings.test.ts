import { expect, it } from 'vitest'
import { warningHeaders } from './respond.ts'

it('quotes each text once', () => {
  expect(warningHeaders(['a "b" \\c', 'twice', 'twice', ''])).toEqual([
    '299 - "a \\"b\\" \\\\c"',
    '299 - "twice"',
  ])
})

it('sends what is not ASCII as UTF-8, and nothing with control characters', () => {
  const [only, ...others] = warningHeaders(['é 日本', 'a\r\nset-cookie: b'])
  expect(Buffer.from(only ?? '', 'latin1').toString()).toBe('299 - "é 日本"')
  expect(others).toEqual([])
})

it('cuts texts off that are too long together, and leaves out what is too much even so', () => {
  expect(warningHeaders(['a'.repeat(4096)])).toEqual([`299 - "${'a'.repeat(4096)}"`])
  expect(warningHeaders(['b'.repeat(4096), 'c'])).toEqual([`299 - "${'b'.repeat(256)}"`, '299 - "c"'])
  const many = Array.from({ length: 1000 }, (_, index) => `${index}`.padEnd(300, '.'))
  expect(warningHeaders(many)).toHaveLength(16)
})
