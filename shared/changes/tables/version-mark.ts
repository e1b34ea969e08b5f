import { compareVersions } from '../../endpointslice/index.ts'

/**
 * Remembers the newest version of one kind of objects that was delivered; versions that are no numbers have
 * no order.
 */
export interface VersionMark {
  /** `undefined` before the first version, and after one that is no number. */
  readonly version: string | undefined
  /** Advances to a version; one that is older than the one known changes nothing. */
  advance(version: unknown): void
  /** Forgets what was known, as a server may have been set back in time. */
  reset(version?: unknown): void
}

/** Creates a mark. Its input may be anything: a server need not keep to the API. */
export function createVersionMark(): VersionMark {
  let known: string | undefined
  return {
    get version() {
      return known
    },
    advance(version) {
      const given = numeric(version)
      if (given === undefined || known === undefined || compareVersions(given, known) > 0) known = given
    },
    reset(version) {
      known = numeric(version)
    },
  }
}

/** Remembers up to which version every change of one kind of objects was delivered. */
export interface DeliveredMark {
  /** `undefined` during a list, which may bring some objects before older ones, and without numbers. */
  readonly version: string | undefined
  listing(): void
  listed(version: unknown): void
  /** Notes an event of an object of this version, or a bookmark. */
  delivered(version: unknown): void
}

export function createDeliveredMark(): DeliveredMark {
  const mark = createVersionMark()
  let isListing = false
  return {
    get version() {
      return mark.version
    },
    listing() {
      isListing = true
      mark.reset()
    },
    listed(version) {
      isListing = false
      mark.reset(version)
    },
    delivered(version) {
      if (!isListing) mark.advance(version)
    },
  }
}

/** A number with no more digits than a message may carry. */
const NUMBER = /^\d{1,64}$/

const numeric = (version: unknown): string | undefined =>
  typeof version === 'string' && NUMBER.test(version) ? version : undefined
