/** One stored object as a backend keeps it. */
export interface StoredRow {
  readonly resource: string
  readonly key: string
  readonly json: string
}

/** Where objects outlive the process. Calls are synchronous: a write is durable before its answer is sent. */
export interface StorageBackend {
  /** The last revision and every object; called once. */
  load(): { revision: number; rows: Iterable<StoredRow> }
  put(row: StoredRow, revision: number): void
  remove(resource: string, key: string, revision: number): void
  close(): void
}

/** Keeps nothing: objects live as long as the process. */
export class MemoryBackend implements StorageBackend {
  load(): { revision: number; rows: Iterable<StoredRow> } {
    return { revision: 0, rows: [] }
  }
  put(): void {}
  remove(): void {}
  close(): void {}
}
