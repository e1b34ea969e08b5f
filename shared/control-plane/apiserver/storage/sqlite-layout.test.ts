import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { ObjectStore } from './object-store.ts'
import { SqliteBackend } from './sqlite-backend.ts'

/** Layout of files before layouts had a number: objects without row ids. */
const EARLIER = `
CREATE TABLE objects (resource TEXT, key TEXT, json TEXT, PRIMARY KEY (resource, key)) WITHOUT ROWID;
CREATE TABLE changes (revision INTEGER PRIMARY KEY, resource TEXT, key TEXT, type TEXT, json TEXT, previous TEXT);
CREATE TABLE revision (id INTEGER PRIMARY KEY CHECK (id = 1), value INTEGER);
INSERT INTO revision VALUES (1, 3);
`
const jsonOf = (name: string, resourceVersion: string) =>
  JSON.stringify({ metadata: { namespace: 'n', name, resourceVersion }, data: 'x'.repeat(1200) })

let folder: string
let file: string

beforeEach(() => {
  folder = temporaryFolder()
  file = join(folder, 'objects.sqlite')
})

/** Runs what the function does with the file, as another program would. */
function withFile<Result>(use: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(file)
  try {
    return use(database)
  } finally {
    database.close()
  }
}

function writeEarlierFile(): void {
  withFile((database) => {
    database.exec(EARLIER)
    const put = database.prepare('INSERT INTO objects VALUES (?, ?, ?)')
    put.run('configmaps', 'n/b', jsonOf('b', '3'))
    put.run('configmaps', 'n/a', jsonOf('a', '2'))
    const note = database.prepare('INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?)')
    note.run(2, 'configmaps', 'n/a', 'ADDED', jsonOf('a', '2'), null)
    note.run(3, 'configmaps', 'n/b', 'MODIFIED', jsonOf('b', '3'), jsonOf('b', '1'))
  })
}

const versionsIn = (store: ObjectStore) =>
  store.list('configmaps', '').map(({ metadata }) => [metadata.name, metadata.resourceVersion])

function withStore<Result>(use: (store: ObjectStore) => Result): Result {
  const store = new ObjectStore(new SqliteBackend(folder), { changes: 10 })
  try {
    return use(store)
  } finally {
    store.close()
  }
}

it('a file of the earlier layout is read with its objects, its changes and its revision', () => {
  writeEarlierFile()
  const { versions, changes, revision } = withStore((store) => ({
    versions: versionsIn(store),
    changes: store.changesSince('configmaps', 1).map((change) => [change.revision, change.type, change.key]),
    revision: store.revision,
  }))
  expect(versions).toEqual([
    ['a', '2'],
    ['b', '3'],
  ])
  expect(changes).toEqual([
    [2, 'ADDED', 'n/a'],
    [3, 'MODIFIED', 'n/b'],
  ])
  expect(revision).toBe(3)
})

it('what is written to a file of the earlier layout is there after another start', () => {
  writeEarlierFile()
  withStore((store) => {
    store.put('configmaps', 'n/a', { metadata: { namespace: 'n', name: 'a' } })
    store.put('configmaps', 'n/c', { metadata: { namespace: 'n', name: 'c' } })
    store.remove('configmaps', 'n/b', { metadata: { namespace: 'n', name: 'b' } })
  })
  expect(withStore(versionsIn)).toEqual([
    ['a', '4'],
    ['c', '5'],
  ])
})

it('an object takes no more than twice its size in the file', () => {
  const count = 2000
  const size = withStore((store) => {
    for (let index = 0; index < count; index++)
      store.put('configmaps', `n/${index}`, JSON.parse(jsonOf(String(index), '')))
    return store.records('configmaps', '').reduce((sum, { json }) => sum + json.length, 0)
  })
  const table = withFile((database) =>
    database.prepare("SELECT sum(pgsize) AS bytes FROM dbstat WHERE name LIKE '%objects%'").get(),
  )
  expect(Number(table?.bytes)).toBeLessThan(size * 2)
})

it('a file of a later layout is refused, and left as it is', () => {
  withFile((database) => database.exec('PRAGMA user_version = 99'))
  expect(() => new SqliteBackend(folder)).toThrow(`failed to open ${file}: a later version of sliceflow`)
  expect(withFile((database) => database.prepare('PRAGMA user_version').get()?.user_version)).toBe(99)
})

it('a file that is only read is no other process’s either', () => {
  withStore(() => undefined)
  withStore(() => {
    expect(() => new SqliteBackend(folder)).toThrow('another process has it open')
  })
})
