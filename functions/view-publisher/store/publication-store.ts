import type { ServiceKey } from '../../../shared/changes/index.ts'
import type { ViewEvent, ViewObject } from '../../../shared/views/index.ts'

/** Views that were made of a Service last, and changes that may not have been sent yet. */
export interface Publication {
  /**
   * Grows with every publication of the key, also over its removal: milliseconds since 1970, or one more than
   * the last.
   */
  readonly version: number
  readonly views: readonly ViewObject[]
  /** The outbox: the changes that led to this version, until they are known to be sent. */
  readonly pending: readonly ViewEvent[]
  /** Names of the sinks that got every change, or find it in the outbox. */
  readonly sinks: readonly string[]
}

/**
 * Stores the last publication of each key. Reads see every write that ended before them; a write succeeds
 * only if the stored version is still the one that it follows.
 */
export interface PublicationStore {
  load(key: ServiceKey): Promise<Publication | undefined>
  /** Reads the latest version of a key, without its contents. */
  version(key: ServiceKey): Promise<number | undefined>
  /**
   * Replaces the publication of version `previous` (undefined: there is none).
   * Resolves to false, and changes nothing, where the latest is another one.
   */
  save(key: ServiceKey, next: Publication, previous: number | undefined): Promise<boolean>
  /** Empties the outbox of this version; false where the latest is another one. */
  markSent(key: ServiceKey, sent: Pick<Publication, 'version' | 'views'>): Promise<boolean>
  /** Yields every key that has views or something in its outbox. */
  keys(): AsyncIterable<ServiceKey>
}
