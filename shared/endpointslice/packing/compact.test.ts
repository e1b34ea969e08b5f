import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidOptionError } from '../errors.ts'
import { compactPacking } from './compact.ts'
import type { Merge, PackedSlice } from './policy.ts'

const written = (...sizes: number[]): PackedSlice[] => sizes.map((size) => ({ size, write: 'update' }))
const untouched = (...sizes: number[]): PackedSlice[] => sizes.map((size) => ({ size, write: 'none' }))
const created = (...sizes: number[]): PackedSlice[] => sizes.map((size) => ({ size, write: 'create' }))

/** Returns the sizes that merges leave, fullest first. */
function sizesAfter(slices: readonly PackedSlice[], merges: readonly Merge[]): number[] {
  const sizes: (number | undefined)[] = slices.map(({ size }) => size)
  for (const { from, into } of merges) {
    for (const { slice, count } of into) {
      const before = sizes[slice]
      if (before === undefined) throw new Error(`slice ${slice} was given up already`)
      sizes[slice] = before + count
    }
    expect(into.reduce((sum, { count }) => sum + count, 0)).toBe(sizes[from])
    sizes[from] = undefined
  }
  return sizes.filter((size) => size !== undefined).sort((a, b) => b - a)
}

const compacted = (slices: readonly PackedSlice[], max = 100): number[] =>
  sizesAfter(slices, compactPacking()(slices, max))

/** Counts the requests that slices and merges mean: one for each slice created, updated or deleted. */
function requests(slices: readonly PackedSlice[], merges: readonly Merge[]): number {
  const touched = new Set(slices.flatMap(({ write }, index) => (write === 'none' ? [] : [index])))
  for (const { from, into } of merges) {
    for (const { slice } of into) touched.add(slice)
    if (slices[from]?.write === 'create') touched.delete(from)
    else touched.add(from)
  }
  return touched.size
}

describe('compaction', () => {
  it('merges six slices that were emptied evenly into one, all of them being written anyway', () => {
    const slices = written(10, 10, 10, 10, 10, 10)
    expect(compacted(slices)).toEqual([60])
    expect(requests(slices, compactPacking()(slices, 100))).toBe(6)
  })

  it('gives up the small slice of many nearly full ones', () => {
    expect(compacted([...untouched(100, 100, 99, 99, 97, 95), ...written(10)])).toEqual([
      100, 100, 100, 100, 100, 100,
    ])
  })

  it('leaves slices alone as long as no whole one can be saved', () => {
    expect(compactPacking()([...untouched(100, 60), ...written(41)], 100)).toEqual([])
    expect(compacted([...untouched(100, 60), ...written(40)])).toEqual([100, 100])
  })

  it('fills free room instead of creating a slice', () => {
    expect(compacted([...untouched(60, 60, 60), ...created(50)])).toHaveLength(3)
  })

  it('stops when its budget of writes is spent', () => {
    const slices = [...untouched(...new Array<number>(40).fill(30)), ...written(30)]
    const merges = compactPacking()(slices, 100)
    expect(merges.length).toBeGreaterThan(2)
    expect(requests(slices, merges)).toBeLessThanOrEqual(1 + 8)
  })

  it('keeps one slice of a group without endpoints', () => {
    expect(compacted(written(0, 0, 0))).toEqual([0])
  })

  it('puts nothing more into a slice that is above the maximum', () => {
    expect(compacted([...untouched(150), ...written(40, 40, 10)])).toEqual([150, 90])
  })

  it('keeps within whatever limits it is given, and makes no slice fuller than its share', () => {
    const max = 20
    const slice = fc.record({
      size: fc.nat({ max }),
      write: fc.constantFrom<PackedSlice['write'][]>('create', 'update', 'none', 'none'),
    })
    const limits = fc.record({
      writes: fc.nat({ max: 12 }),
      fill: fc.double({ min: 0.05, max: 1, noNaN: true }),
    })
    fc.assert(
      fc.property(fc.array(slice, { maxLength: 30 }), limits, (slices, { writes, fill }) => {
        const merges = compactPacking({ writes, fill })(slices, max)
        expect(sizesAfter(slices, merges)).toHaveLength(slices.length - merges.length)
        const takers = new Set(merges.flatMap(({ into }) => into.map(({ slice: taker }) => taker)))
        const gained = new Map<number, number>()
        for (const { into } of merges)
          for (const { slice: taker, count } of into) gained.set(taker, (gained.get(taker) ?? 0) + count)
        for (const taker of takers)
          expect((slices[taker]?.size ?? 0) + (gained.get(taker) ?? 0)).toBeLessThanOrEqual(
            Math.max(1, Math.floor(max * fill)),
          )
        const before = slices.filter(({ write }) => write !== 'none').length
        expect(requests(slices, merges)).toBeLessThanOrEqual(before + writes)
      }),
      { numRuns: 1000 },
    )
  })

  it('gives up nothing but slices that cost no request where it may make none', () => {
    const slices = untouched(10, 10, 10)
    expect(compactPacking({ writes: 0 })(slices, 100)).toEqual([])
    expect(compactPacking({ writes: 0 })([...slices, ...created(5)], 100)).toHaveLength(1)
    expect(compactPacking({ writes: 0 })([...written(10), ...created(5)], 100)).toHaveLength(1)
  })

  it.each([{ writes: -1 }, { writes: 1.5 }, { fill: 0 }, { fill: 1.1 }, { fill: Number.NaN }])(
    'refuses the limits %o',
    (limits) => {
      expect(() => compactPacking(limits)).toThrow(InvalidOptionError)
    },
  )

  it('reaches the fewest slices when all of them are written anyway', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 30 }), (sizes) => {
        const total = sizes.reduce((sum, size) => sum + size, 0)
        expect(compacted(written(...sizes), 20)).toHaveLength(Math.max(1, Math.ceil(total / 20)))
      }),
    )
  })
})
