import { beforeEach, describe, expect, it } from 'vitest'
import { createPageSizes } from './pager.ts'

describe('the size of pages', () => {
  let sizes: ReturnType<typeof createPageSizes>

  beforeEach(() => {
    sizes = createPageSizes()
  })
  const nextAfter = (objects: number, bytes: number): number => {
    sizes.note('Pods', { objects, bytes })
    return sizes.next('Pods')
  }

  it('is 100 objects while theirs is not known, each kind on its own', () => {
    expect(sizes.next('Pods')).toBe(100)
    expect(nextAfter(100, 5_000_000)).toBe(40)
    expect(sizes.next('Nodes')).toBe(100)
  })

  it.each([
    [100, 4_000_000, 50],
    [3, 4_000_000, 1],
    [1, 2_000_001, 1],
    [2, 1_000_000, 4],
  ])('makes 2 MB where %i objects are %i bytes: %i objects', (objects, bytes, expected) => {
    expect(nextAfter(objects, bytes)).toBe(expected)
  })

  it('at most doubles from page to page, up to 5,000', () => {
    const grown = Array.from({ length: 7 }, () => nextAfter(10, 10))
    expect(grown).toEqual([200, 400, 800, 1_600, 3_200, 5_000, 5_000])
  })

  it('stays as it is after a page without objects', () => {
    expect(nextAfter(0, 60)).toBe(100)
  })

  it('is an eighth where a page was too large, one object at least, from then on', () => {
    expect([sizes.lower('Pods', 100), sizes.next('Pods')]).toEqual([12, 12])
    expect([sizes.lower('Pods', 12), sizes.next('Pods')]).toEqual([1, 1])
    expect([sizes.lower('Pods', 1), sizes.next('Pods')]).toEqual([1, 1])
  })
})
