import { InvalidOptionError } from '../errors.ts'
import type { Merge, PackedSlice, PackingPolicy } from './policy.ts'

/** Limits of compaction. Whatever they are, each slice keeps the plan's own maximum. */
export interface CompactLimits {
  /**
   * Requests that a plan may make for compaction alone, a group; default 8: enough to give up several slices,
   * and no storm of writes after a large scale-down. 0: slices go only where that costs no further request.
   */
  readonly writes?: number
  /**
   * The share of the maximum that compaction fills a slice up to, above 0 to 1; default 1. What is left is
   * room for endpoints that come, so that they need no new slice.
   */
  readonly fill?: number
}

const DEFAULTS = { writes: 8, fill: 1 } as const satisfies CompactLimits

/** A slice while merges are being chosen. */
interface Place {
  readonly index: number
  /** Requests that giving it up adds: a delete for a slice left alone so far; a create is saved. */
  readonly costOfGivingUp: number
  size: number
  isWritten: boolean
}

/**
 * Makes a policy that compacts within bounds. As long as the free room of a group is a whole slice or more,
 * each filled up to its share of the maximum, the emptiest slice is given up. Its endpoints go to slices that
 * are written anyway and then to as few others as possible.
 *
 * 1. The emptiest slice that can be given up within the budget is chosen, the last of equals.
 * 2. Its endpoints fill slices that are written anyway, fullest first.
 * 3. The rest goes into the one other slice that it fills best, or, where it fits into none, into the
 *    emptiest in turn.
 *
 * @throws InvalidOptionError for a limit out of its range
 * @example
 * ```ts
 * const service = {
 *   metadata: { name: 'web', namespace: 'shop', uid: 'u1' },
 *   spec: { clusterIP: '10.96.0.7' },
 * }
 * const packing = compactPacking({ writes: 2 })
 * plan({ service, pods: [], nodes: [], slices: [] }, { packing }).create.length // => 1
 * ```
 */
export function compactPacking(limits: CompactLimits = {}): PackingPolicy {
  const { writes, fill } = { ...DEFAULTS, ...limits }
  if (!Number.isInteger(writes) || writes < 0)
    throw new InvalidOptionError('writes', 'an integer from 0 on', writes)
  if (!(fill > 0 && fill <= 1)) throw new InvalidOptionError('fill', 'a share above 0 to 1', fill)
  return (slices, maxEndpointsPerSlice) =>
    mergesOf(slices, Math.max(1, Math.floor(maxEndpointsPerSlice * fill)), writes)
}

/** @param max endpoints that a slice is filled up to; it may have more already */
function mergesOf(slices: readonly PackedSlice[], max: number, writes: number): Merge[] {
  const merges: Merge[] = []
  let places = slices.map(placeOf)
  let budget = writes
  let room = places.reduce((sum, { size }) => sum + roomIn(size, max), 0)
  while (places.length > 1 && room >= max) {
    const choice = chooseMerge(places, max, budget)
    if (choice === undefined) break
    const { victim, shares, cost } = choice
    budget -= cost
    room -= Math.max(victim.size, max)
    for (const { place, count } of shares) {
      place.size += count
      place.isWritten = true
    }
    places = places.filter((place) => place !== victim)
    merges.push({
      from: victim.index,
      into: shares.map(({ place, count }) => ({ slice: place.index, count })),
    })
  }
  return merges
}

const placeOf = ({ size, write }: PackedSlice, index: number): Place => ({
  index,
  costOfGivingUp: { create: -1, update: 0, none: 1 }[write],
  size,
  isWritten: write !== 'none',
})

const roomIn = (size: number, max: number): number => Math.max(0, max - size)

interface Share {
  readonly place: Place
  readonly count: number
}

interface Choice {
  readonly victim: Place
  readonly shares: readonly Share[]
  readonly cost: number
}

/** Chooses the slice to give up (step 1). */
function chooseMerge(places: readonly Place[], max: number, budget: number): Choice | undefined {
  for (const victim of places.toSorted((a, b) => a.size - b.size || b.index - a.index)) {
    const others = places.filter((place) => place !== victim)
    const shares = sharesOf(victim.size, others, max)
    if (shares === undefined) continue
    const cost = victim.costOfGivingUp + shares.filter(({ place }) => !place.isWritten).length
    if (cost <= budget) return { victim, shares, cost }
  }
  return undefined
}

/** Places the endpoints of that slice in others (steps 2, 3). @returns `undefined` when they do not fit */
function sharesOf(count: number, others: readonly Place[], max: number): Share[] | undefined {
  const shares: Share[] = []
  let left = count
  const give = (place: Place): void => {
    const share = Math.min(left, roomIn(place.size, max))
    if (share > 0) shares.push({ place, count: share })
    left -= share
  }
  const fullestFirst = others.toSorted((a, b) => b.size - a.size)
  for (const place of fullestFirst) if (place.isWritten) give(place)
  const untouched = fullestFirst.filter(({ isWritten }) => !isWritten)
  while (left > 0) {
    // Where there is none, -1 is the place of the emptiest.
    const fits = untouched.findIndex(({ size }) => size + left <= max)
    const [place] = untouched.splice(fits, 1)
    if (place === undefined) return undefined
    give(place)
  }
  return shares
}
