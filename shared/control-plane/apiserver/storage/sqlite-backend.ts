import { chmodSync, closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { PastChange, StorageBackend, StoredChange, StoredRow, StoredState } from './backend.ts'

/**
 * Statements that make each layout out of the one before, the first out of an empty file. A file's
 * `user_version` is the number of those that it has seen. A step that was released is never changed.
 * 1. The first layout, whose files have no number: nothing is left to do in those.
 * 2. Objects in a table with row ids. Without them SQLite keeps no more than 1,002 bytes of an object in its
 *    row, and gives the rest of each a page of its own: 4.7 kB for an object of 1.2 kB, which is 1.4 kB here.
 */
const STEPS = [
  `CREATE TABLE IF NOT EXISTS objects (resource TEXT, key TEXT, json TEXT, PRIMARY KEY (resource, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS changes (revision INTEGER PRIMARY KEY, resource TEXT, key TEXT, type TEXT, json TEXT, previous TEXT);
CREATE TABLE IF NOT EXISTS revision (id INTEGER PRIMARY KEY CHECK (id = 1), value INTEGER);
INSERT OR IGNORE INTO revision VALUES (1, 0);`,
  `ALTER TABLE objects RENAME TO earlier_objects;
CREATE TABLE objects (resource TEXT, key TEXT, json TEXT, PRIMARY KEY (resource, key));
INSERT INTO objects SELECT resource, key, json FROM earlier_objects;
DROP TABLE earlier_objects;`,
]

/**
 * Brings a file to the present layout, at once or not at all. The pages that this frees stay in the file, and
 * are used again.
 * @throws where a later version of this program has written the file
 */
function bringUpToDate(database: DatabaseSync): void {
  const done = Number(database.prepare('PRAGMA user_version').get()?.user_version)
  if (done > STEPS.length)
    throw new Error(`a later version of sliceflow has written it, whose layout ${done} this one cannot read`)
  if (done === STEPS.length) return
  const steps = STEPS.slice(done).join('\n')
  database.exec(`BEGIN IMMEDIATE;\n${steps}\nPRAGMA user_version = ${STEPS.length};\nCOMMIT`)
}

/**
 * FULL: a commit is on the disk when it returns, so that what was acknowledged outlives a loss of power too;
 * commits are shared by the writes of a moment (see ObjectStore), so that this costs little. EXCLUSIVE: a
 * second process on the same file is refused.
 */
const SETTINGS = `
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
`
const STATEMENTS = {
  note: `INSERT INTO changes VALUES (?1, ?2, ?3, ?4, ?5,
    (SELECT json FROM objects WHERE resource = ?2 AND key = ?3))`,
  put: `INSERT INTO objects VALUES (?, ?, ?)
    ON CONFLICT (resource, key) DO UPDATE SET json = excluded.json`,
  remove: 'DELETE FROM objects WHERE resource = ? AND key = ?',
  advance: 'UPDATE revision SET value = ?',
  compact: 'DELETE FROM changes WHERE revision <= ?',
}

/** The result code of SQLite for a file that another process has locked. */
const SQLITE_BUSY = 5

/** Keeps objects and latest changes in a folder's `objects.sqlite`, unreadable to others for its secrets. */
export class SqliteBackend implements StorageBackend {
  readonly #database: DatabaseSync
  readonly #statements: Record<keyof typeof STATEMENTS, StatementSync>

  /** Throws, with the file's name, where it cannot be written, is no database, or another process has it. */
  constructor(folder: string) {
    this.#database = openDatabase(join(folder, 'objects.sqlite'))
    const prepare = (name: keyof typeof STATEMENTS) => this.#database.prepare(STATEMENTS[name])
    this.#statements = {
      note: prepare('note'),
      put: prepare('put'),
      remove: prepare('remove'),
      advance: prepare('advance'),
      compact: prepare('compact'),
    }
  }

  load(): StoredState {
    const read = (sql: string) => this.#database.prepare(sql)
    return {
      revision: Number(read('SELECT value FROM revision').get()?.value),
      rows: read('SELECT resource, key, json FROM objects ORDER BY resource, key').iterate().map(rowOf),
      changes: read('SELECT * FROM changes ORDER BY revision').iterate().map(changeOf),
    }
  }

  append({ revision, resource, key, type, json }: StoredChange): void {
    if (!this.#database.isTransaction) this.#database.exec('BEGIN')
    this.#statements.note.run(revision, resource, key, type, json)
    if (type === 'DELETED') this.#statements.remove.run(resource, key)
    else this.#statements.put.run(resource, key, json)
    this.#statements.advance.run(revision)
  }

  commit(): void {
    if (this.#database.isTransaction) this.#database.exec('COMMIT')
  }

  compact(revision: number): void {
    this.#statements.compact.run(revision)
  }

  close(): void {
    this.#database.close()
  }
}

function openDatabase(file: string): DatabaseSync {
  try {
    closeSync(openSync(file, 'a', 0o600))
    // One of before may be readable for more; SQLite's other files get the mode of this one.
    chmodSync(file, 0o600)
    return prepared(new DatabaseSync(file))
  } catch (error) {
    throw new Error(`failed to open ${file}: ${whyNot(error)}`, { cause: error })
  }
}

function prepared(database: DatabaseSync): DatabaseSync {
  try {
    database.exec(SETTINGS)
    bringUpToDate(database)
    return database
  } catch (error) {
    // It may hold the lock already, and what a step has begun is undone by this.
    database.close()
    throw error
  }
}

function whyNot(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const busy = 'errcode' in error && error.errcode === SQLITE_BUSY
  return busy ? 'another process has it open, and only one may' : error.message
}

type Columns = Record<string, unknown>

function rowOf({ resource, key, json }: Columns): StoredRow {
  return { resource: String(resource), key: String(key), json: String(json) }
}

function changeOf(columns: Columns): PastChange {
  const { revision, type, previous } = columns
  return {
    ...rowOf(columns),
    revision: Number(revision),
    type: type === 'ADDED' || type === 'DELETED' ? type : 'MODIFIED',
    previous: typeof previous === 'string' ? previous : undefined,
  }
}
