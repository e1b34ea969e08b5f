import { isSameContent } from '../../../changes/index.ts'
import type { EndpointSlice } from '../../../endpointslice/index.ts'
import { type Changes, sizeOf } from '../../slice-changes.ts'
import { publishedIn, slicesAfter, slicesByName } from './published-addresses.ts'
import { nameOf } from './slice-annotations.ts'

interface PartLimits {
  /**
   * Writes at most; default: no limit. A knot of slices that swap endpoints is never cut, and may be more.
   */
  readonly maximumWrites?: number
  /** Names of slices that must not be written. */
  readonly excluded?: ReadonlySet<string>
}

interface SafePart {
  readonly changes: Changes
  /** Writes left for later. */
  readonly postponed: number
}

type Operation = keyof Changes

interface Write {
  readonly operation: Operation
  readonly slice: EndpointSlice
  /** Addresses that the write adds to the slice. */
  readonly adds: readonly string[]
  readonly removes: readonly string[]
}

const OPERATIONS: readonly Operation[] = ['create', 'update', 'delete']

/**
 * Takes as much of a plan as may be written now, so that no address that is published and stays so is missing
 * meanwhile.
 * 1. A write that takes such an address out of a slice waits for the write that puts it into another.
 * 2. Among the others, creates come before updates, and updates before deletes.
 * 3. Slices that swap addresses wait for each other: they are written together.
 * 4. Updates that change nothing are left out. A plan may hold them, and as the first ones of every part they
 *    would be the only ones that are ever written.
 */
export function safePart(
  slices: readonly EndpointSlice[],
  planned: Changes,
  { maximumWrites = Number.POSITIVE_INFINITY, excluded = new Set() }: PartLimits,
): SafePart {
  if (sizeOf(planned) <= maximumWrites && excluded.size === 0) return { changes: planned, postponed: 0 }
  const before = slicesByName(slices)
  // 4.
  const changes: Changes = {
    ...planned,
    update: planned.update.filter(
      (slice) => excluded.has(nameOf(slice)) || !isUnchanged(before.get(nameOf(slice)), slice),
    ),
  }
  const total = sizeOf(changes)
  const writes = writesOf(before, changes).filter(({ slice }) => !excluded.has(nameOf(slice)))
  const staying = new Set(
    [...slicesAfter(before, changes).values()].flatMap((slice) => [...publishedIn(slice)]),
  )
  const holders = countHolders(before.values())
  const taken: Write[] = []
  let waiting = writes
  while (waiting.length > 0) {
    const next = takeSafe(waiting, staying, holders, maximumWrites - taken.length)
    // 3.
    const isKnot = next.length === 0
    if (isKnot && (taken.length > 0 || excluded.size > 0)) break
    const now = isKnot ? waiting : next
    taken.push(...now)
    waiting = waiting.filter((write) => !now.includes(write))
  }
  return { changes: changesOf(taken), postponed: total - taken.length }
}

const isUnchanged = (before: EndpointSlice | undefined, after: EndpointSlice): boolean =>
  before !== undefined && isSameContent(before, after)

/** Takes the writes that leave every staying address somewhere, and notes what they do to the holders. */
function takeSafe(
  writes: readonly Write[],
  staying: ReadonlySet<string>,
  holders: Map<string, number>,
  most: number,
): Write[] {
  const taken: Write[] = []
  for (const write of writes) {
    if (taken.length === most) break
    // 1.
    const strands = write.removes.some((address) => staying.has(address) && (holders.get(address) ?? 0) < 2)
    if (strands) continue
    for (const address of write.adds) holders.set(address, (holders.get(address) ?? 0) + 1)
    for (const address of write.removes) holders.set(address, (holders.get(address) ?? 0) - 1)
    taken.push(write)
  }
  return taken
}

/** Lists the writes of step 2. */
function writesOf(before: ReadonlyMap<string, EndpointSlice>, changes: Changes): Write[] {
  return OPERATIONS.flatMap((operation) =>
    changes[operation].map((slice): Write => {
      const known = before.get(nameOf(slice))
      const was: ReadonlySet<string> = known === undefined ? new Set() : publishedIn(known)
      const is: ReadonlySet<string> = operation === 'delete' ? new Set() : publishedIn(slice)
      return { operation, slice, adds: [...is.difference(was)], removes: [...was.difference(is)] }
    }),
  )
}

function countHolders(slices: Iterable<EndpointSlice>): Map<string, number> {
  const holders = new Map<string, number>()
  for (const slice of slices)
    for (const address of publishedIn(slice)) holders.set(address, (holders.get(address) ?? 0) + 1)
  return holders
}

function changesOf(writes: readonly Write[]): Changes {
  const of = (wanted: Operation): EndpointSlice[] =>
    writes.filter(({ operation }) => operation === wanted).map(({ slice }) => slice)
  return { create: of('create'), update: of('update'), delete: of('delete') }
}
