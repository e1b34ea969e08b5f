import { expect, it } from 'vitest'
import { workingTime } from './working-time.ts'

it.each([1, 999, 11_999, 60_000])('a call that has %d ms left has time to work', (ms) => {
  expect(workingTime({ getRemainingTimeInMillis: () => ms }).aborted).toBe(false)
})
