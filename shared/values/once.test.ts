import { expect, it, vi } from 'vitest'
import { once } from './once.ts'

it('does its work once, also for those who ask at the same time', async () => {
  const make = vi.fn(async () => 7)
  const made = once(make)
  expect(await Promise.all([made(), made()])).toEqual([7, 7])
  expect(await made()).toBe(7)
  expect(make).toHaveBeenCalledTimes(1)
})

it('tries again after work that failed, which fails for all who waited for it', async () => {
  const make = vi.fn(async () => 7)
  make.mockRejectedValueOnce(new Error('no'))
  const made = once(make)
  const outcomes = await Promise.allSettled([made(), made()])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect([await made(), await made()]).toEqual([7, 7])
  expect(make).toHaveBeenCalledTimes(2)
})
