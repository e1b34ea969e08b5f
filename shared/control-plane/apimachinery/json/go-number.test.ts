import { expect, it } from 'vitest'
import { goNumber } from './go-number.ts'

it.each<[number | bigint, string]>([
  [1_000_000, '1000000'],
  [9_007_199_254_740_991, '9007199254740991'],
  [9_007_199_254_740_993n, '9007199254740993'],
  [2 ** 53, '9.007199254740992e+15'],
  [2 ** 63, '9.223372036854776e+18'],
  [1e21, '1e+21'],
  [0.25, '0.25'],
  [1_234_567.5, '1.2345675e+06'],
  [0.00001, '1e-05'],
])('writes %s as Go does', (value, text) => {
  expect(goNumber(value)).toBe(text)
})
