import { expect, it } from 'vitest'
import type { PackedSlice } from '../../endpointslice/index.ts'
import { parseSettings } from '../../settings/index.ts'
import { packingOf } from './packing-of.ts'

/** A slice that is written anyway and others that are not: each that is given up costs a request. */
const SLICES: readonly PackedSlice[] = [
  { size: 1, write: 'update' },
  ...Array.from({ length: 12 }, () => ({ size: 1, write: 'none' as const })),
]
const given = (settings: Parameters<typeof parseSettings>[0]): number =>
  packingOf(parseSettings(settings))(SLICES, 100).length

it('packs as the settings ask for, with no more writes than a plan may make', () => {
  expect(given({})).toBe(0)
  expect(given({ packing: 'compact' })).toBe(8)
  expect(given({ packing: 'compact', maximumWrites: 5 })).toBe(5)
  expect(given({ packing: 'compact', maximumWrites: 500 })).toBe(8)
})
