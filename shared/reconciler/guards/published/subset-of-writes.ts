import type { EndpointSlice } from '../../../endpointslice/index.ts'
import type { Changes } from '../../slice-changes.ts'
import { publishedIn, slicesAfter, slicesByName } from './published-addresses.ts'
import { nameOf } from './slice-annotations.ts'

interface Write {
  readonly slice: EndpointSlice
  /** Addresses that the write adds to the slice. */
  readonly adds: readonly string[]
  readonly removes: readonly string[]
}

/**
 * Takes as much of a plan as may be written without some slices, so that no address that is published and
 * stays so is missing meanwhile: a write that takes such an address out of a slice waits for the write that
 * puts it into another. So slices that swap addresses wait, too.
 * @param excluded names of slices that must not be written
 */
export function withoutSlices(
  slices: readonly EndpointSlice[],
  planned: Changes,
  excluded: ReadonlySet<string>,
): Changes {
  if (excluded.size === 0) return planned
  const before = slicesByName(slices)
  const staying = new Set(
    [...slicesAfter(before, planned).values()].flatMap((slice) => [...publishedIn(slice)]),
  )
  const holders = countHolders(before.values())
  const taken = new Set<EndpointSlice>()
  let waiting = writesOf(before, planned).filter(({ slice }) => !excluded.has(nameOf(slice)))
  let next: readonly Write[]
  do {
    next = takeSafe(waiting, staying, holders)
    for (const { slice } of next) taken.add(slice)
    waiting = waiting.filter(({ slice }) => !taken.has(slice))
  } while (next.length > 0)
  const isTaken = (slice: EndpointSlice): boolean => taken.has(slice)
  return {
    create: planned.create.filter(isTaken),
    update: planned.update.filter(isTaken),
    delete: planned.delete.filter(isTaken),
  }
}

/** Takes the writes that leave every staying address somewhere, and notes what they do to the holders. */
function takeSafe(
  writes: readonly Write[],
  staying: ReadonlySet<string>,
  holders: Map<string, number>,
): Write[] {
  return writes.filter(({ adds, removes }) => {
    const strands = removes.some((address) => staying.has(address) && (holders.get(address) ?? 0) < 2)
    if (strands) return false
    for (const address of adds) holders.set(address, (holders.get(address) ?? 0) + 1)
    for (const address of removes) holders.set(address, (holders.get(address) ?? 0) - 1)
    return true
  })
}

const writesOf = (
  before: ReadonlyMap<string, EndpointSlice>,
  { create, update, delete: gone }: Changes,
): Write[] =>
  [...create, ...update, ...gone].map((slice) => {
    const known = before.get(nameOf(slice))
    const was: ReadonlySet<string> = known === undefined ? new Set() : publishedIn(known)
    const is: ReadonlySet<string> = gone.includes(slice) ? new Set() : publishedIn(slice)
    return { slice, adds: [...is.difference(was)], removes: [...was.difference(is)] }
  })

function countHolders(slices: Iterable<EndpointSlice>): Map<string, number> {
  const holders = new Map<string, number>()
  for (const slice of slices)
    for (const address of publishedIn(slice)) holders.set(address, (holders.get(address) ?? 0) + 1)
  return holders
}
