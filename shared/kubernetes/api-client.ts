import type { ApiObject, ObjectRef, Resource } from './resources.ts'
import type { NextTurn } from './work-queue/turns.ts'

export interface ListMeta {
  resourceVersion: string
  continue?: string
  remainingItemCount?: number
}

export interface ObjectList<T> {
  readonly items: readonly T[]
  readonly metadata: ListMeta
}

/** Objects of a resource, and how much of them. */
export interface Selection {
  /** Default: all namespaces. */
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Metadata only: the server leaves out spec and status (PartialObjectMetadata). Default false. */
  readonly metadataOnly?: boolean
  /** Whether `metadata.managedFields` is read. Default true: it is. */
  readonly managedFields?: boolean
}

export interface ListOptions extends Selection, CallOptions {
  /** Objects a page; default: as many as make about 2 MB, by the size of the last ones of this kind. */
  readonly limit?: number
  /**
   * Minimum resource version: the server may answer from its cache, which is cheap, if that is at least this
   * new.
   * The answer is one page, regardless of the limit; above 8 MB the newest data are read page by page
   * instead. A version that the server does not reach within 3 s is refused with 504.
   */
  readonly notOlderThan?: string
}

export interface Selecting<T> {
  /** Transforms each object before it is stored, to save memory. Default: the whole object is stored. */
  readonly select?: (object: T) => T
  /** Awaited before each page after the first, as until there is memory for it. Default: no wait. */
  readonly beforeMore?: () => Promise<void>
  /** Awaited before each page that has arrived is read. Default: it is read at once. */
  readonly nextTurn?: NextTurn | undefined
  /** Whether a page may have items that are no objects. Default: the list fails as incomplete. */
  readonly passesOddItems?: boolean
}

export interface WatchOptions extends CallOptions {
  /** Default: all objects, whole. */
  readonly selection?: Selection
  /** Events after this version. */
  readonly resourceVersion: string
  /** The server ends the watch after this many seconds. */
  readonly timeoutSeconds: number
  /** The watch fails when nothing, not even a bookmark, came for this many milliseconds. */
  readonly inactivityMs: number
  /** Called for every piece that came. */
  readonly onBytes?: () => void
}

export type WatchEvent<T extends ApiObject = ApiObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | {
      readonly type: 'BOOKMARK'
      readonly object: { readonly metadata: { readonly resourceVersion: string } }
    }

export interface DeleteOptions extends CallOptions {
  /** Refused with 409 when the object has another uid or version by now. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly gracePeriodSeconds?: number
  /** Fate of objects that name this one as their owner. Default: what is usual for the kind. */
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan'
}

export interface CallOptions {
  readonly signal?: AbortSignal
}

export interface GetOptions extends CallOptions {
  /** Metadata only, as in lists. Default false. */
  readonly metadataOnly?: boolean
  /**
   * A version that the server's cache is to have reached, as in lists. It spares the server about half of the
   * work, and etcd all of it. Default: the newest data.
   */
  readonly notOlderThan?: string
}

export interface WriteOptions extends CallOptions {
  /** Answered with the metadata of the written object only, such as its new version. Default false. */
  readonly metadataOnly?: boolean
}

export interface ReadOptions extends CallOptions {
  /** Media types that are wanted. Default `application/json`. */
  readonly accept?: string
}

/**
 * A lean client of one API server. Objects are sent and returned as they stand in JSON: unknown fields
 * survive a read and a write. Every call throws a subclass of KubernetesError; a call that was aborted throws
 * the signal's reason.
 */
export interface ApiClient {
  /** The cluster's name. */
  readonly cluster: string
  /** Returns the address that calls go to; undefined while it is to come with credentials. */
  address(): string | undefined
  get<T extends ApiObject>(resource: Resource<T>, ref: ObjectRef, options?: GetOptions): Promise<T>
  /** Lists every page of one consistent snapshot, of the newest data when the first page was requested. */
  list<T extends ApiObject>(
    resource: Resource<T>,
    options?: ListOptions & Selecting<T>,
  ): Promise<ObjectList<T>>
  /** Yields the same page by page. @throws ExpiredError if the snapshot is gone before the last page */
  pages<T extends ApiObject>(
    resource: Resource<T>,
    options?: ListOptions & Selecting<T>,
  ): AsyncGenerator<ObjectList<T>>
  create<T extends ApiObject>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T>
  /** Replaces the object, on condition of its metadata.resourceVersion where it has one. */
  update<T extends ApiObject>(
    resource: Resource<T>,
    object: T,
    options?: WriteOptions & { subresource?: string },
  ): Promise<T>
  /** Sends a JSON merge patch (RFC 7396). */
  patch<T extends ApiObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: unknown,
    options?: WriteOptions,
  ): Promise<T>
  delete(resource: Resource, ref: ObjectRef, options?: DeleteOptions): Promise<void>
  /**
   * Opens one watch connection: resolves once the server has accepted it; its events end when the server ends
   * it.
   * @throws ExpiredError, also while it runs, when the version is too old
   */
  watch<T extends ApiObject>(
    resource: Resource<T>,
    options: WatchOptions,
  ): Promise<AsyncGenerator<WatchEvent<T>>>
  /** Reads a path that is no resource's, such as `/version` or `/apis/discovery.k8s.io`. */
  read<T>(path: string, options?: ReadOptions): Promise<T>
  /** Closes idle connections; running calls end. */
  close(): void
}
