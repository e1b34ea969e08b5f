import { expect, it } from 'vitest'
import { createBoundedCache } from './bounded-cache.ts'

it('keeps no more than 50,000 keys, whatever keys come, and the newest of them', () => {
  const cache = createBoundedCache<number, string>({})
  for (let key = 0; key < 60_000; key++) cache.set(key, 'kept')
  expect(cache.size).toBe(50_000)
  expect([cache.get(9_999), cache.get(10_000)]).toEqual([undefined, 'kept'])
})

it('lets go what was used longest ago', () => {
  const cache = createBoundedCache<string, string>({ most: 2 })
  cache.set('first', 'kept').set('second', 'kept')
  cache.get('first')
  cache.set('third', 'kept')
  expect([...cache.keys()].toSorted()).toEqual(['first', 'third'])
})

it('lets an entry go once its time is over, and keeps it for ever without one', () => {
  let ms = 1
  const [timed, lasting] = [60_000, undefined].map((ttlMs) =>
    createBoundedCache<string, string>({ ...(ttlMs !== undefined && { ttlMs }), now: () => ms }),
  )
  for (const cache of [timed, lasting]) cache?.set('key', 'kept')
  ms = 60_001
  expect([timed?.get('key'), lasting?.get('key')]).toEqual(['kept', 'kept'])
  ms = 60_002
  expect([timed?.get('key'), lasting?.get('key')]).toEqual([undefined, 'kept'])
})
