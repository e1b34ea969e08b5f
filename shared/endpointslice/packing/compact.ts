import type { Merge, PackedSlice, PackingPolicy } from './policy.ts'

/**
 * Requests that a plan may make for compaction alone, a group: enough to give up several slices, and no storm
 * of writes after a large scale-down.
 */
const EXTRA_WRITES = 8

/** A slice while merges are being chosen. */
interface Place {
  readonly index: number
  /** Requests that giving it up adds: a delete for a slice left alone so far; a create is saved. */
  readonly costOfGivingUp: number
  size: number
  isWritten: boolean
}

/**
 * Compacts within bounds. As long as the free room of a group is a whole slice or more, the emptiest slice is
 * given up. Its endpoints go to slices that are written anyway and then to as few others as possible.
 *
 * 1. The emptiest slice that can be given up within the budget is chosen, the last of equals.
 * 2. Its endpoints fill slices that are written anyway, fullest first.
 * 3. The rest goes into the one other slice that it fills best, or, where it fits into none, into the
 *    emptiest in turn.
 */
export const compactPacking: PackingPolicy = (slices, maxEndpointsPerSlice) => {
  const merges: Merge[] = []
  let places = slices.map(placeOf)
  let budget = EXTRA_WRITES
  let room = places.reduce((sum, { size }) => sum + roomIn(size, maxEndpointsPerSlice), 0)
  while (places.length > 1 && room >= maxEndpointsPerSlice) {
    const choice = chooseMerge(places, maxEndpointsPerSlice, budget)
    if (choice === undefined) break
    const { victim, shares, cost } = choice
    budget -= cost
    room -= maxEndpointsPerSlice
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

/**
 * Places the endpoints of that slice in others (steps 2 and 3). @returns `undefined` when the endpoints do
 * not fit
 */
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
