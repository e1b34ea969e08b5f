import type { DatabaseSync } from 'node:sqlite'

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
export function bringUpToDate(database: DatabaseSync): void {
  const done = Number(database.prepare('PRAGMA user_version').get()?.user_version)
  if (done > STEPS.length)
    throw new Error(`a later version of sliceflow has written it, whose layout ${done} this one cannot read`)
  if (done === STEPS.length) return
  const steps = STEPS.slice(done).join('\n')
  database.exec(`BEGIN IMMEDIATE;\n${steps}\nPRAGMA user_version = ${STEPS.length};\nCOMMIT`)
}
