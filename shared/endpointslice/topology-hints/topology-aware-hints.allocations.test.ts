import { describe, expect, it } from 'vitest'
import { allocationsFor } from './topology-aware-hints.ts'

const halves = new Map([
  ['a', 0.5],
  ['b', 0.5],
])

describe('allocationsFor', () => {
  it('lets a zone have what the minimums of the others leave', () => {
    expect(allocationsFor(12, halves)).toEqual(
      new Map([
        ['a', { desired: 6, maximum: 7 }],
        ['b', { desired: 6, maximum: 7 }],
      ]),
    )
  })

  it('wishes at least the minimum', () => {
    const uneven = new Map([
      ['a', 0.9],
      ['b', 0.1],
    ])
    expect(allocationsFor(4, uneven)).toEqual(
      new Map([
        ['a', { desired: 3.6, maximum: 3 }],
        ['b', { desired: 1, maximum: 1 }],
      ]),
    )
  })

  it('refuses fewer endpoints than zones', () => {
    expect(allocationsFor(1, halves)).toBe('Insufficient number of endpoints (1 endpoints, 2 zones)')
    expect(allocationsFor(2, halves)).toBeInstanceOf(Map)
  })

  it('refuses what would overload a zone', () => {
    expect(allocationsFor(3, halves)).toBe(
      'Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (3 endpoints, 2 zones)',
    )
  })
})
