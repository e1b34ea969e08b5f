import { expect, it } from 'vitest'
import { SetMap } from './set-map.ts'

it('holds a key as long as it has a value', () => {
  const map = new SetMap<string, number>()
  expect([...map.get('a')]).toEqual([])
  map.add('a', 1)
  map.add('a', 2)
  map.add('a', 2)
  map.add('b', 3)
  expect([...map.get('a')]).toEqual([1, 2])
  map.delete('a', 1)
  map.delete('a', 3)
  map.delete('c', 1)
  expect([...map.get('a')]).toEqual([2])
  map.delete('a', 2)
  map.delete('a', 2)
  expect([...map.get('a')]).toEqual([])
  expect([...map.keys()]).toEqual(['b'])
})
