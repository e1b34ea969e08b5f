import { expect, it } from 'vitest'
import { printable } from './index.ts'

it.each([
  ['ends no line', 'a\nb\r\nc\u2028d', 'a b c d'],
  ['sends no controls to a terminal', 'a\u001b[2Jb\u009b31mc', 'a [2Jb 31mc'],
  ['turns no text around', 'a\u202edcb', 'a dcb'],
  ['stays as it is otherwise', 'über 10 µs, “ok”', 'über 10 µs, “ok”'],
])('a printable text %s', (_, text, printed) => {
  expect(printable(text)).toBe(printed)
})
