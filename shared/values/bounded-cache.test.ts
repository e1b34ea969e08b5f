import { expect, it } from 'vitest'
import { heapGrowth } from '../../test/support/heap.ts'
import { BoundedCache } from './bounded-cache.ts'

it('keeps no more than 50,000 keys, whatever keys come, and the newest of them', () => {
  const cache = new BoundedCache<number, string>()
  for (let key = 0; key < 60_000; key++) cache.set(key, 'kept')
  const kept = Array.from({ length: 60_000 }, (_, key) => key).filter((key) => cache.has(key))
  expect(kept.length).toBeGreaterThan(45_000)
  expect(kept.length).toBeLessThanOrEqual(50_000)
  expect(kept[0]).toBe(60_000 - kept.length)
})

it('holds no value that was replaced, though it never evicts one', () => {
  const cache = new BoundedCache<number, number[]>()
  const growth = heapGrowth(() => {
    for (let turn = 0; turn < 50_000; turn++) {
      cache.get(turn % 50)
      cache.set(turn % 50, new Array<number>(100).fill(turn))
    }
  })
  expect(growth).toBeLessThan(1_000_000)
})

const keptOf = (cache: BoundedCache<string, string>, ...keys: string[]): string[] =>
  keys.filter((key) => cache.has(key))

it('lets go what was used longest ago, by get or set and not by has', () => {
  const cache = new BoundedCache<string, string>({ maxSize: 3 })
  for (const key of ['first', 'second', 'third']) cache.set(key, 'kept')
  cache.get('first')
  cache.set('second', 'again')
  cache.has('third')
  cache.set('fourth', 'kept')
  expect(keptOf(cache, 'first', 'second', 'third', 'fourth')).toEqual(['first', 'second', 'fourth'])
  expect(cache.get('second')).toBe('again')
})

it('counts the sizes of its entries, and those of values that were replaced or deleted no more', () => {
  const cache = new BoundedCache<string, string>({ maxSize: 10 })
  cache.set('a', 'kept', { size: 9 })
  cache.set('a', 'kept', { size: 4 })
  cache.set('b', 'kept', { size: 5 })
  cache.delete('b')
  cache.delete('b')
  cache.set('c', 'kept', { size: 6 })
  expect(keptOf(cache, 'a', 'b', 'c')).toEqual(['a', 'c'])
  cache.set('d', 'kept', { size: 5 })
  expect(keptOf(cache, 'a', 'c', 'd')).toEqual(['d'])
})

it('keeps nothing that is larger than itself, nor what that was to replace', () => {
  const cache = new BoundedCache<string, string>({ maxSize: 10 })
  cache.set('small', 'kept', { size: 5 })
  cache.set('large', 'kept', { size: 5 })
  cache.set('large', 'kept', { size: 11 })
  expect(keptOf(cache, 'small', 'large')).toEqual(['small'])
  cache.set('whole', 'kept', { size: 10 })
  expect(keptOf(cache, 'small', 'whole')).toEqual(['whole'])
})

it('lets an entry go once its time is over, and keeps it for ever without one', () => {
  let ms = 0
  const now = (): number => ms
  const timed = new BoundedCache<string, string>({ ttlMs: 60_000, now })
  const lasting = new BoundedCache<string, string>({ now })
  for (const cache of [timed, lasting]) cache.set('key', 'kept')
  timed.set('earlier', 'kept', { since: -1 })
  lasting.set('shorter', 'kept', { ttlMs: 59_999 })
  const found = (): unknown[] => [
    timed.get('key'),
    lasting.get('key'),
    ...[timed.has('earlier'), lasting.has('shorter')],
  ]
  ms = 59_999
  expect(found()).toEqual(['kept', 'kept', true, true])
  ms = 60_000
  expect(found()).toEqual(['kept', 'kept', false, false])
  ms = 60_001
  expect(found()).toEqual([undefined, 'kept', false, false])
  ms = Number.MAX_SAFE_INTEGER
  expect(lasting.get('key')).toBe('kept')
})

it('returns the values that have not expired, and does not use them by that', () => {
  const clock = { now: 0 }
  const cache = new BoundedCache<string, string>({ ttlMs: 10, maxSize: 3, now: () => clock.now })
  cache.set('a', 'first')
  clock.now = 5
  for (const value of ['second', 'third']) cache.set(value, value)
  clock.now = 10
  expect(cache.values()).toEqual(['first', 'second', 'third'])
  cache.set('fourth', 'fourth')
  expect(cache.values()).toEqual(['second', 'third', 'fourth'])
  clock.now = 16
  expect(cache.values()).toEqual(['fourth'])
})

it.each([
  [true, []],
  [false, ['a', 'b']],
])('forgets all once a clock was set back that may be: %s', (isSettable, left) => {
  const clock = { now: 100 }
  const cache = new BoundedCache<string, string>({ maxSize: 2, now: () => clock.now, isSettable })
  for (const value of ['a', 'b']) cache.set(value, value)
  expect(cache.now()).toBe(100)
  clock.now = 99
  cache.has('c')
  clock.now = 200
  expect(cache.values()).toEqual(left)
  for (const value of ['c', 'd']) cache.set(value, value)
  expect(cache.values()).toEqual(['c', 'd'])
})
