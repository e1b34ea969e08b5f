import type { ZoneAllotments } from './allotments.ts'

/** Numbers of endpoints of each zone to hint to another, and the zones to hint to: one entry an endpoint. */
export interface Moves {
  readonly give: Map<string, number>
  readonly take: string[]
}

/**
 * Moves endpoints, one at a time, from the zone with the greatest surplus to the one with the greatest need,
 * until neither has a whole endpoint left to give or to take, or one has less than half.
 */
export function movesBetween(allotments: ZoneAllotments, hinted: ReadonlyMap<string, number>): Moves {
  const surplus = new Map<string, number>()
  for (const [zone, { desired }] of allotments) surplus.set(zone, (hinted.get(zone) ?? 0) - desired)
  const moves: Moves = { give: new Map(), take: [] }
  for (;;) {
    const [giver, most] = extreme(surplus, 1)
    const [taker, least] = extreme(surplus, -1)
    const need = -least
    if (most < 0.5 || need < 0.5 || (most < 1 && need < 1)) return moves
    surplus.set(giver, most - 1)
    surplus.set(taker, least + 1)
    moves.give.set(giver, (moves.give.get(giver) ?? 0) + 1)
    moves.take.push(taker)
  }
}

/** Finds the entry with the greatest value, or with the least for the sign -1; the first of equal ones. */
function extreme(values: ReadonlyMap<string, number>, sign: 1 | -1): [string, number] {
  let found: [string, number] = ['', 0]
  for (const [zone, value] of values) if (sign * value > sign * found[1]) found = [zone, value]
  return found
}
