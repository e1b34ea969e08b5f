import { compareVersions } from '../../endpointslice/index.ts'

/**
 * Remembers the newest version of one kind of objects that was delivered; versions that are no numbers have
 * no order. Its input may be anything: a server need not keep to the API.
 */
export class VersionMark {
  #known: string | undefined

  /** `undefined` before the first version, and after one that is no number. */
  get version(): string | undefined {
    return this.#known
  }

  /** Advances to a version; one that is older than the one known changes nothing. */
  advance(version: unknown): void {
    const given = numeric(version)
    if (given === undefined || this.#known === undefined || compareVersions(given, this.#known) > 0)
      this.#known = given
  }

  /** Forgets what was known, as a server may have been set back in time. */
  reset(version?: unknown): void {
    this.#known = numeric(version)
  }
}

/** A number with no more digits than a message may carry. */
const NUMBER = /^\d{1,64}$/

const numeric = (version: unknown): string | undefined =>
  typeof version === 'string' && NUMBER.test(version) ? version : undefined
