import { expect, it } from 'vitest'
import { timeLimitOf } from './time-limit.ts'

const limitOf = (timeout?: string): number =>
  timeLimitOf(new URLSearchParams(timeout === undefined ? {} : { timeout }), 60_000)

it.each([
  ['10s', 10_000],
  ['1.5s', 1500],
  ['.5s', 500],
  ['+250ms', 250],
  ['1s500ms', 1500],
  ['59m', 60_000],
  ['0', 60_000],
  ['0s', 60_000],
  ['-5s', 60_000],
  ['', 60_000],
  [undefined, 60_000],
])('a timeout of %s gives %d ms of a minute', (timeout, milliseconds) => {
  expect(limitOf(timeout)).toBe(milliseconds)
})

it.each([
  ['invalid', 'time: invalid duration "invalid"'],
  ['s', 'time: invalid duration "s"'],
  ['1s!', 'time: unknown unit "s!" in duration "1s!"'],
  ['5', 'time: missing unit in duration "5"'],
  ['5d', 'time: unknown unit "d" in duration "5d"'],
  ['5constructor', 'time: unknown unit "constructor" in duration "5constructor"'],
])('a timeout of %s is refused', (timeout, why) => {
  expect(() => limitOf(timeout)).toThrow(`invalid timeout specified in the request URL - ${why}`)
})
