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
