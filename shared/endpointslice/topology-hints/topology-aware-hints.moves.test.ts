import { describe, expect, it } from 'vitest'
import { movesBetween } from './topology-aware-hints.ts'

/** @param zones the desired number and the number hinted, by zone */
function moves(zones: Record<string, [number, number]>): [Record<string, number>, string[]] {
  const entries = Object.entries(zones)
  const allocations = new Map(entries.map(([zone, [desired]]) => [zone, { desired, maximum: 100 }]))
  const { give, take } = movesBetween(
    allocations,
    new Map(entries.map(([zone, [, hinted]]) => [zone, hinted])),
  )
  return [Object.fromEntries(give), take]
}

describe('movesBetween', () => {
  it('moves whole surpluses to the greatest need first', () => {
    expect(moves({ a: [2, 5], b: [3, 1], c: [2, 1] })).toEqual([{ a: 3 }, ['b', 'b', 'c']])
  })

  it('moves nothing when all have what they should', () => {
    expect(moves({ a: [2, 2], b: [3, 3] })).toEqual([{}, []])
  })

  it('moves nothing for less than half an endpoint, however great the other side', () => {
    expect(moves({ a: [2.6, 3], b: [3.2, 2], c: [2.2, 2] })).toEqual([{}, []])
    expect(moves({ a: [2, 4], b: [2.4, 2], c: [2.4, 2] })).toEqual([{}, []])
  })

  it('moves nothing between two zones that both lack a whole endpoint', () => {
    expect(moves({ a: [2.4, 3], b: [2.6, 2] })).toEqual([{}, []])
  })

  it('moves one endpoint when one side has a whole one and the other half of one', () => {
    expect(moves({ a: [2, 3], b: [2.5, 2], c: [2.5, 2] })).toEqual([{ a: 1 }, ['b']])
  })
})
