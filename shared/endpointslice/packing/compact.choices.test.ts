import { describe, expect, it } from 'vitest'
import { compactPacking } from './compact.ts'
import type { Merge, PackedSlice } from './policy.ts'

const of = (write: PackedSlice['write'], sizes: readonly number[]): PackedSlice[] =>
  sizes.map((size) => ({ size, write }))
const written = (...sizes: number[]): PackedSlice[] => of('update', sizes)
const untouched = (...sizes: number[]): PackedSlice[] => of('none', sizes)
const created = (...sizes: number[]): PackedSlice[] => of('create', sizes)
const times = (count: number, size: number): number[] => new Array<number>(count).fill(size)
const merges = (...slices: PackedSlice[]): readonly Merge[] => compactPacking()(slices, 100)

describe('compaction chooses', () => {
  it('the emptiest slice to give up, the last of equals', () => {
    expect(merges(...written(50, 10, 10, 40))).toEqual([
      { from: 2, into: [{ slice: 0, count: 10 }] },
      { from: 1, into: [{ slice: 0, count: 10 }] },
    ])
  })

  it('slices that are written anyway to fill, the fullest first and the first of equals', () => {
    expect(merges(...written(95, 60, 60, 20))).toEqual([
      {
        from: 3,
        into: [
          { slice: 0, count: 5 },
          { slice: 1, count: 15 },
        ],
      },
    ])
  })

  it('no slice that is full', () => {
    expect(merges(...written(100, 60, 20))).toEqual([{ from: 2, into: [{ slice: 1, count: 20 }] }])
    expect(merges(...untouched(100, 60), ...written(20))).toEqual([
      { from: 2, into: [{ slice: 1, count: 20 }] },
    ])
  })

  it('the one other slice that the rest fills best, up to the maximum', () => {
    expect(merges(...untouched(90, 95, 30), ...written(10))).toEqual([
      { from: 3, into: [{ slice: 0, count: 10 }] },
    ])
  })

  it('the emptiest others in turn where the rest fits into none', () => {
    expect(merges(...untouched(50, 80, 85, 70), ...written(10))).toEqual([
      { from: 4, into: [{ slice: 2, count: 10 }] },
      {
        from: 0,
        into: [
          { slice: 2, count: 5 },
          { slice: 3, count: 30 },
          { slice: 1, count: 15 },
        ],
      },
    ])
  })

  it('as many merges as 8 requests more allow, each of two slices that were left alone costing two', () => {
    expect(merges(...untouched(...times(16, 50)), ...written(100))).toHaveLength(4)
  })

  it('to fill a slice again at no further cost', () => {
    expect(merges(...untouched(60, ...times(8, 5)))).toHaveLength(7)
  })

  it('to give up a slice that would be created, which saves its request', () => {
    expect(merges(...untouched(60, ...times(8, 50)), ...created(40))).toHaveLength(5)
  })
})
