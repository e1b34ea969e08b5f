/** One stored object as a backend keeps it. */
export interface StoredRow {
  readonly resource: string
  readonly key: string
  readonly json: string
}

/** One write. Of a deletion `json` is the last state, with the resourceVersion of the deletion. */
export interface StoredChange extends StoredRow {
  readonly revision: number
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
}

/** A change of an earlier process, with the state before it. */
export interface PastChange extends StoredChange {
  readonly previous: string | undefined
}

export interface StoredState {
  /** The last revision that was written; 0 before the first. */
  readonly revision: number
  readonly rows: Iterable<StoredRow>
  /** The latest changes, oldest first, without gaps; the last one has `revision`. May be none. */
  readonly changes: Iterable<PastChange>
}

/** Storage in which objects outlive the process. It is synchronous; after a throw it writes no more. */
export interface StorageBackend {
  /** Loads everything that was written; called once. */
  load(): StoredState
  /** Takes a write; durable only after `commit`. Revisions come in order and without gaps. */
  append(change: StoredChange): void
  /** Makes all that was appended durable, together: answers wait for it. */
  commit(): void
  /** Forgets changes up to a revision, not the objects that they made. */
  compact(revision: number): void
  close(): void
}

/** Keeps nothing: objects live as long as the process. */
export class MemoryBackend implements StorageBackend {
  load(): StoredState {
    return { revision: 0, rows: [], changes: [] }
  }
  append(): void {}
  commit(): void {}
  compact(): void {}
  close(): void {}
}
