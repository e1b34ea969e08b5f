import { expect, it } from 'vitest'
import { workingMs, workingTime } from './working-time.ts'

it.each([1, 999, 11_999, 60_000])('a call that has %d ms left has time to work', (ms) => {
  expect(workingTime({ getRemainingTimeInMillis: () => ms }).aborted).toBe(false)
})

it('the end of a call takes what is reserved, and at most a quarter, in whole milliseconds', () => {
  const left = (ms: number): number => workingMs({ getRemainingTimeInMillis: () => ms }, 5_000)
  expect([999, 19_999, 60_000].map(left)).toEqual([749, 14_999, 55_000])
})
