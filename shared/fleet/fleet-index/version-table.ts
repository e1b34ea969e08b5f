import { createObjectTable } from '../../kubernetes/index.ts'
import type { NameText } from './watched-metadata.ts'

/** Entry of one object: versions and names, nothing of its contents. */
export interface VersionEntry {
  /** Undefined where the cluster gave no usable one: then the object is never known to be the same. */
  readonly version: string | undefined
  /** Equal while nothing changes that a sync reads; undefined: not known, so that each version counts. */
  readonly content?: string | undefined
  /** The Service of the set that it belongs to, if there is one. */
  readonly service: NameText | undefined
  /** Whether it is of an EndpointSelector of that name: an export of one, or a slice. */
  readonly ofSelector?: boolean
  /** Whether it makes that Service known. */
  readonly isReason: boolean
  /** Whether it is an export that selects clusters by their properties. */
  readonly selects?: boolean
  /** Time of the change that the object reports, as far as it says so. */
  readonly time?: string | undefined
}

/** An object that came, changed or went. */
export interface VersionChange {
  readonly name: NameText
  readonly before: VersionEntry | undefined
  readonly after: VersionEntry | undefined
}

export type VersionTable = ReturnType<typeof createVersionTable>

/** The objects of one kind of a cluster. */
export function createVersionTable() {
  const table = createObjectTable<VersionEntry>()
  let isListing = false
  return {
    get: (name: NameText) => table.get(name),
    *names(): Generator<NameText> {
      for (const [name] of table.entries()) yield name as NameText
    },
    get size() {
      return table.size()
    },
    /** Whether it was listed once. */
    get isListed() {
      return table.isListed()
    },
    /**
     * Puts an entry. Returns undefined where nothing that a sync reads has changed. In a list each other
     * version is a change: a sync may have read a state between two watches that is not there any more.
     */
    put(name: NameText, after: VersionEntry): VersionChange | undefined {
      const before = table.get(name)
      table.set(name, after)
      const isKnown =
        before !== undefined &&
        (hasSameVersion(before, after) || (!isListing && hasSameContent(before, after)))
      return isKnown ? undefined : { name, before, after }
    },
    remove(name: NameText): VersionChange | undefined {
      const before = table.get(name)
      table.delete(name)
      return before && { name, before, after: undefined }
    },
    listing(): void {
      isListing = true
      table.listing()
    },
    /** Completes a list: objects that it did not name are gone. */
    listed(): VersionChange[] {
      isListing = false
      return table.listed().map(([name, before]) => ({ name: name as NameText, before, after: undefined }))
    },
  }
}

const hasSameVersion = (before: VersionEntry, after: VersionEntry): boolean =>
  after.version !== undefined && before.version === after.version

const hasSameContent = (before: VersionEntry, after: VersionEntry): boolean =>
  after.content !== undefined &&
  before.content === after.content &&
  before.service === after.service &&
  before.ofSelector === after.ofSelector
