import type { ServiceKey } from '../../../shared/changes/index.ts'
import type { ViewEvent, ViewObject } from '../../../shared/views/index.ts'

/** What a sink has of a Service. */
export interface PublicationKey extends ServiceKey {
  /** The sink's name. */
  readonly sink: string
}

/** Views of a Service that a sink was given last, and changes that it may not have got yet. */
export interface Publication {
  /** Grows with every publication of the key, even after its removal: milliseconds since 1970, at least. */
  readonly version: number
  readonly views: readonly ViewObject[]
  /** The outbox: the changes that led to this version, until they are known to be sent. */
  readonly pending: readonly ViewEvent[]
}

/**
 * Stores the last publication of each Service and sink. Reads see every write that ended before them; a write
 * succeeds only if the stored version is still the one that it follows.
 */
export interface PublicationStore {
  load(key: PublicationKey): Promise<Publication | undefined>
  /** Reads the latest version of a key, without its contents. */
  version(key: PublicationKey): Promise<number | undefined>
  /** Replaces version `previous` (undefined: none). Resolves to false if the latest is another one. */
  save(key: PublicationKey, next: Publication, previous: number | undefined): Promise<boolean>
  /** Empties the outbox of this version; false where the latest is another one. */
  markSent(key: PublicationKey, sent: Pick<Publication, 'version' | 'views'>): Promise<boolean>
  /** Yields once every Service that a sink has views of, or has something in its outbox. */
  keys(): AsyncIterable<ServiceKey>
}
