import type { EndpointSlice } from '../../../endpointslice/index.ts'
import type { Changes } from '../../slice-changes.ts'
import { publishedIn, slicesAfter, slicesByName } from './published-addresses.ts'
import { nameOf } from './slice-annotations.ts'

/**
 * Takes as much of a plan as may be written without some slices, so that no address is missing afterwards
 * that is published and stays so: a write that takes such an address out of a slice waits for the write that
 * puts it into another.
 * @param excluded names of slices that must not be written
 */
export function withoutSlices(
  slices: readonly EndpointSlice[],
  planned: Changes,
  excluded: ReadonlySet<string>,
): Changes {
  if (excluded.size === 0) return planned
  const before = slicesByName(slices)
  const publishedAfter = (changes: Changes): Set<string> =>
    new Set([...slicesAfter(before, changes).values()].flatMap((slice) => [...publishedIn(slice)]))
  const published = new Set(slices.flatMap((slice) => [...publishedIn(slice)]))
  const staying = published.intersection(publishedAfter(planned))
  let part = filtered(planned, (slice) => !excluded.has(nameOf(slice)))
  for (;;) {
    const missing = staying.difference(publishedAfter(part))
    if (missing.size === 0) return part
    part = filtered(part, (slice) => {
      const known = before.get(nameOf(slice))
      return known === undefined || publishedIn(known).isDisjointFrom(missing)
    })
  }
}

const filtered = (
  { create, update, delete: gone }: Changes,
  isKept: (slice: EndpointSlice) => boolean,
): Changes => ({ create: create.filter(isKept), update: update.filter(isKept), delete: gone.filter(isKept) })
