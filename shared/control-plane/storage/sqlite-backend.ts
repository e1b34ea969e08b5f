import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { StorageBackend, StoredRow } from './backend.ts'

const SCHEMA = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS objects (resource TEXT, key TEXT, json TEXT, PRIMARY KEY (resource, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS revision (id INTEGER PRIMARY KEY CHECK (id = 1), value INTEGER);
INSERT OR IGNORE INTO revision VALUES (1, 0);
`

/** Keeps objects in `objects.sqlite` of a folder that exists. */
export class SqliteBackend implements StorageBackend {
  readonly #database: DatabaseSync
  readonly #put: StatementSync
  readonly #remove: StatementSync
  readonly #advance: StatementSync

  constructor(folder: string) {
    this.#database = new DatabaseSync(join(folder, 'objects.sqlite'))
    this.#database.exec(SCHEMA)
    this.#put = this.#database.prepare('INSERT OR REPLACE INTO objects VALUES (?, ?, ?)')
    this.#remove = this.#database.prepare('DELETE FROM objects WHERE resource = ? AND key = ?')
    this.#advance = this.#database.prepare('UPDATE revision SET value = ?')
  }

  load(): { revision: number; rows: Iterable<StoredRow> } {
    const revision = this.#database.prepare('SELECT value FROM revision').get()?.value
    const rows = this.#database.prepare('SELECT resource, key, json FROM objects').all()
    return {
      revision: Number(revision),
      rows: rows.map(({ resource, key, json }) => ({
        resource: String(resource),
        key: String(key),
        json: String(json),
      })),
    }
  }

  put({ resource, key, json }: StoredRow, revision: number): void {
    this.#together(() => this.#put.run(resource, key, json), revision)
  }

  remove(resource: string, key: string, revision: number): void {
    this.#together(() => this.#remove.run(resource, key), revision)
  }

  close(): void {
    this.#database.close()
  }

  #together(write: () => void, revision: number): void {
    this.#database.exec('BEGIN')
    write()
    this.#advance.run(revision)
    this.#database.exec('COMMIT')
  }
}
