import { createObjectTable } from '../../kubernetes/index.ts'
import type { NameText } from './watched-metadata.ts'

/** Entry of one object: versions and names, nothing of its contents. */
export interface VersionEntry {
  /**
   * Undefined where the cluster gave none that can be used: then the object cannot be known to be the same.
   */
  readonly version: string | undefined
  /**
   * The same as long as nothing changes that a sync reads of the object; undefined where that is not known,
   * so that each version counts.
   */
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

/** The objects of one kind of a cluster. */
export interface VersionTable {
  get(name: NameText): VersionEntry | undefined
  names(): Iterable<NameText>
  readonly size: number
  /** Whether it was listed once. */
  readonly isListed: boolean
  /**
   * Puts an entry. Returns undefined where nothing that a sync reads has changed. In a list each other
   * version is a change: a sync may have read a state between two watches that is not there any more.
   */
  put(name: NameText, entry: VersionEntry): VersionChange | undefined
  remove(name: NameText): VersionChange | undefined
  listing(): void
  /** Completes a list: objects that it did not name are gone. */
  listed(): VersionChange[]
}

export function createVersionTable(): VersionTable {
  const table = createObjectTable<VersionEntry>()
  let isListing = false
  return {
    get: table.get,
    *names() {
      for (const [name] of table.entries()) yield name as NameText
    },
    get size() {
      return table.size()
    },
    get isListed() {
      return table.isListed()
    },
    put(name, after) {
      const before = table.get(name)
      table.set(name, after)
      const isKnown =
        before !== undefined &&
        (hasSameVersion(before, after) || (!isListing && hasSameContent(before, after)))
      return isKnown ? undefined : { name, before, after }
    },
    remove(name) {
      const before = table.get(name)
      table.delete(name)
      return before && { name, before, after: undefined }
    },
    listing() {
      isListing = true
      table.listing()
    },
    listed() {
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
