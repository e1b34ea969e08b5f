import { createObjectTable } from '../../kubernetes/index.ts'
import { VersionMark } from './version-mark.ts'

/** A table of objects that knows up to which version every change is in it. */
export function createDeliveredTable<Entry>(
  onChange: NonNullable<Parameters<typeof createObjectTable<Entry>>[0]>,
) {
  const table = createObjectTable(onChange)
  const mark = new VersionMark()
  let isListing = false
  return {
    ...table,
    /** Returns `undefined` without numbers, and during a list, which may bring objects before older ones. */
    version: (): string | undefined => mark.version,
    /** Notes an event of an object of this version, or a bookmark. */
    delivered(version: unknown): void {
      if (!isListing) mark.advance(version)
    },
    listing(): void {
      isListing = true
      mark.reset()
      table.listing()
    },
    /** Notes that the list is complete, as of this version: removes and returns what it did not name. */
    listed(resourceVersion: unknown): [string, Entry][] {
      isListing = false
      mark.reset(resourceVersion)
      return table.listed()
    },
  }
}
