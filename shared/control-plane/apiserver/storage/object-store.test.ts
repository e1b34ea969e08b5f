import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { MemoryBackend, type StorageBackend } from './backend.ts'
import { ObjectStore } from './object-store.ts'
import { SqliteBackend } from './sqlite-backend.ts'

const RESOURCE = 'configmaps'
interface Write {
  readonly key: string
  readonly value: number | undefined
}
const writes = fc.array(
  fc.record<Write>({
    key: fc.constantFrom('a/x', 'a/y', 'a-b/x', 'b/x', 'b/y'),
    value: fc.option(fc.nat(), { nil: undefined }),
  }),
  { maxLength: 40 },
)

const limits = fc.record({
  changes: fc.integer({ min: 1, max: 20 }),
  size: fc.integer({ min: 0, max: 2000 }),
})

function apply(store: ObjectStore, { key, value }: Write): void {
  const [namespace, name] = key.split('/') as [string, string]
  const known = store.get(RESOURCE, key)
  if (value !== undefined) store.put(RESOURCE, key, { metadata: { namespace, name }, value })
  else if (known) store.remove(RESOURCE, key, known)
}

interface Subject {
  /** Opens an empty backend. */
  readonly open: () => StorageBackend
  readonly numRuns: number
}

const subjects: Record<string, Subject> = {
  memory: { open: () => new MemoryBackend(), numRuns: 100 },
  SQLite: { open: () => new SqliteBackend(temporaryFolder()), numRuns: 10 },
}

describe.each(Object.entries(subjects))('the store in %s', (_, { open, numRuns }) => {
  const openStore = () => new ObjectStore(open(), { changes: 1000 })

  it('has the latest changes, within the limits of their number and size', () => {
    fc.assert(
      fc.property(writes, limits, (all, limits) => {
        const store = new ObjectStore(open(), limits)
        const sizes: number[] = []
        let dropped = 0
        const begin = store.revision
        store.subscribe(RESOURCE, ({ json, previous }) => {
          sizes.push(json.length + (previous === undefined ? 0 : JSON.stringify(previous).length))
        })
        for (const write of all) {
          apply(store, write)
          const size = (): number => sizes.slice(dropped).reduce((sum, each) => sum + each, 0)
          while (sizes.length - dropped > limits.changes || size() > limits.size) dropped++
          expect(store.compacted).toBe(begin + dropped)
          expect(store.changesSince(RESOURCE, store.compacted)).toHaveLength(sizes.length - dropped)
        }
        store.close()
      }),
      { numRuns },
    )
  })

  it('replayed from any revision gives the state', () => {
    fc.assert(
      fc.property(writes, fc.nat(), (all, cut) => {
        const store = openStore()
        const before = all.slice(0, cut % (all.length + 1))
        for (const write of before) apply(store, write)
        const state = new Map(store.list(RESOURCE, '').map((object) => [keyOf(object), object]))
        const revision = store.revision
        for (const write of all.slice(before.length)) apply(store, write)
        for (const { key, type, object } of store.changesSince(RESOURCE, revision)) {
          if (type === 'DELETED') state.delete(key)
          else state.set(key, object)
        }
        const replayed = [...state].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object)
        expect(replayed).toEqual(store.list(RESOURCE, ''))
        store.close()
      }),
      { numRuns },
    )
  })

  it('gives all who hold an object at the same time the same one, until it is written again', () => {
    fc.assert(
      fc.property(writes, (all) => {
        const store = openStore()
        for (const write of all) apply(store, write)
        const held = store.list(RESOURCE, '')
        expect(store.list(RESOURCE, '').every((object, index) => object === held[index])).toBe(true)
        const [first] = held
        const key = store.records(RESOURCE, '')[0]?.key
        if (first && key) {
          store.put(RESOURCE, key, first)
          expect(store.get(RESOURCE, key)).not.toBe(first)
        }
        store.close()
      }),
      { numRuns },
    )
  })

  it('still knows the state of every revision of its history', () => {
    fc.assert(
      fc.property(writes, fc.constantFrom('', 'a/', 'b/'), (all, prefix) => {
        const store = openStore()
        const states = new Map<number, KubeObject[]>()
        for (const write of all) {
          apply(store, write)
          states.set(store.revision, store.list(RESOURCE, prefix))
        }
        for (const [revision, state] of states) expect(objectsAt(store, prefix, revision)).toEqual(state)
        store.close()
      }),
      { numRuns },
    )
  })

  it('stores a change although a listener throws, calls the others, and reports the error', () => {
    const failures: unknown[] = []
    const store = new ObjectStore(open(), { changes: 10 }, (error) => failures.push(error))
    const seen: string[] = []
    store.subscribe(RESOURCE, () => {
      throw new Error('cannot bear it')
    })
    store.subscribe(RESOURCE, ({ key }) => seen.push(key))
    const written = store.put(RESOURCE, 'a/x', { metadata: { name: 'x' } })
    expect(store.get(RESOURCE, 'a/x')).toBe(written)
    expect(seen).toEqual(['a/x'])
    expect(failures).toEqual([new Error('cannot bear it')])
    expect(store.flush()).toBe(true)
    store.close()
  })

  it('calls all listeners in the order of revisions, also for changes that listeners make', () => {
    const store = openStore()
    const seen: [string, number][] = []
    store.subscribe(RESOURCE, ({ type, key, object }) => {
      if (type === 'DELETED') store.put(RESOURCE, key, object)
    })
    store.subscribe(RESOURCE, ({ type, revision }) => seen.push([type, revision]))
    const written = store.put(RESOURCE, 'a/x', { metadata: { name: 'x' } })
    store.remove(RESOURCE, 'a/x', written)
    const first = Number(written.metadata.resourceVersion)
    expect(seen).toEqual([
      ['ADDED', first],
      ['DELETED', first + 1],
      ['ADDED', first + 2],
    ])
    store.close()
  })

  it('calls a new listener for later changes only, even if it subscribes during a call', () => {
    const store = openStore()
    const seen: string[] = []
    const stop = store.subscribe(RESOURCE, () => {
      stop()
      store.put(RESOURCE, 'a/y', { metadata: { name: 'y' } })
      store.subscribe(RESOURCE, ({ key }) => seen.push(key))
    })
    store.put(RESOURCE, 'a/x', { metadata: { name: 'x' } })
    expect(seen).toEqual([])
    store.put(RESOURCE, 'a/z', { metadata: { name: 'z' } })
    expect(seen).toEqual(['a/z'])
    store.close()
  })

  it('resolves for those who wait for a revision', async () => {
    const store = openStore()
    const reached = store.reached(store.revision + 1, 5000)
    store.put(RESOURCE, 'a/x', { metadata: { name: 'x' } })
    expect(await reached).toBe(true)
    expect(await store.reached(store.revision + 1, 1)).toBe(false)
  })
})

const objectsAt = (store: ObjectStore, prefix: string, revision: number): KubeObject[] =>
  store.recordsAt(RESOURCE, prefix, revision).map(({ object }) => object)

describe('the store in a folder', () => {
  it('opened again has the same objects, revision and history, within its limits', () => {
    fc.assert(
      fc.property(writes, limits, (all, limits) => {
        const folder = temporaryFolder()
        const first = new ObjectStore(new SqliteBackend(folder), limits)
        for (const write of all) apply(first, write)
        const listed = first.list(RESOURCE, '')
        const { revision, compacted } = first
        const changes = first.changesSince(RESOURCE, compacted)
        const past = objectsAt(first, '', compacted)
        first.close()
        const second = new ObjectStore(new SqliteBackend(folder), limits)
        expect(second).toMatchObject({ revision, compacted })
        expect(second.list(RESOURCE, '')).toEqual(listed)
        expect(second.changesSince(RESOURCE, compacted)).toEqual(changes)
        expect(objectsAt(second, '', compacted)).toEqual(past)
        second.close()
      }),
      { numRuns: 25 },
    )
  })

  it('is not opened by two at the same time', () => {
    const folder = temporaryFolder()
    const first = new ObjectStore(new SqliteBackend(folder), { changes: 10 })
    expect(() => new SqliteBackend(folder)).toThrow('another process has it open')
    first.close()
  })

  it('does not grow with writes that are out of its window', () => {
    const backend = new SqliteBackend(temporaryFolder())
    const store = new ObjectStore(backend, { changes: 10 })
    for (let value = 0; value < 100; value++) apply(store, { key: 'a/x', value })
    store.flush()
    expect([...backend.load().changes].length).toBeLessThan(20)
    store.close()
  })

  it('does not grow with large objects that are written again and again', () => {
    const backend = new SqliteBackend(temporaryFolder())
    const store = new ObjectStore(backend, { size: 10_000 })
    const metadata = { namespace: 'a', name: 'x' }
    for (let value = 0; value < 100; value++)
      store.put(RESOURCE, 'a/x', { metadata, data: 'x'.repeat(1000), value })
    store.flush()
    expect(store.revision - store.compacted).toBe(4)
    expect([...backend.load().changes].length).toBeLessThan(10)
    store.close()
  })
})

describe('a backend that fails', () => {
  class FullBackend extends MemoryBackend {
    override commit(): void {
      throw new Error('disk is full')
    }
  }

  it('lets nobody believe that anything is kept, from then on', async () => {
    const failures: unknown[] = []
    const store = new ObjectStore(new FullBackend(), { changes: 10 }, (error) => failures.push(error))
    apply(store, { key: 'a/x', value: 1 })
    await expect(store.durable()).rejects.toThrow('failed to write to the storage: disk is full')
    expect(store.flush()).toBe(false)
    await expect(store.durable()).rejects.toThrow('disk is full')
    expect(() => apply(store, { key: 'a/y', value: 1 })).toThrow('disk is full')
    expect(failures).toEqual([new Error('disk is full')])
  })
})

it('a backend that cannot forget has failed like one that cannot write', async () => {
  class Unforgetting extends MemoryBackend {
    override compact(): void {
      throw new Error('disk is full')
    }
  }
  const failures: unknown[] = []
  const store = new ObjectStore(new Unforgetting(), { changes: 2 }, (error) => failures.push(error))
  const seen: number[] = []
  store.subscribe(RESOURCE, ({ revision }) => seen.push(revision))
  for (let value = 0; value < 4; value++) apply(store, { key: 'a/x', value })
  expect(seen).toHaveLength(4)
  await expect(store.durable()).rejects.toThrow('disk is full')
  expect(store.flush()).toBe(false)
  expect(failures).toEqual([new Error('disk is full')])
})

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}`
}
