import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../objects.ts'
import { MemoryBackend } from './backend.ts'
import { ObjectStore } from './object-store.ts'

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

function apply(store: ObjectStore, { key, value }: Write): void {
  const [namespace, name] = key.split('/') as [string, string]
  const known = store.get(RESOURCE, key)
  if (value !== undefined) store.put(RESOURCE, key, { metadata: { namespace, name }, value })
  else if (known) store.remove(RESOURCE, key, known)
}

function openStore(window = 1000): ObjectStore {
  return new ObjectStore(new MemoryBackend(), window)
}

describe('the store', () => {
  test('replayed from any revision gives the state', () => {
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
      }),
    )
  })

  test('still knows the state of every revision of its history', () => {
    fc.assert(
      fc.property(writes, fc.constantFrom('', 'a/', 'b/'), (all, prefix) => {
        const store = openStore()
        const states = new Map<number, KubeObject[]>()
        for (const write of all) {
          apply(store, write)
          states.set(store.revision, store.list(RESOURCE, prefix))
        }
        for (const [revision, state] of states)
          expect(store.listAt(RESOURCE, prefix, revision)).toEqual(state)
      }),
    )
  })

  test('keeps at least the window of its latest changes and knows from where on', () => {
    fc.assert(
      fc.property(writes, fc.integer({ min: 1, max: 5 }), (all, window) => {
        const store = openStore(window)
        for (const write of all) apply(store, write)
        const kept = store.changesSince(RESOURCE, store.compacted)
        expect(kept).toHaveLength(Math.min(window, store.revision - 1))
        expect(kept.map(({ revision }) => revision)).toEqual(
          kept.map((_, index) => store.compacted + index + 1),
        )
      }),
    )
  })

  test('gives each write one revision, and the object bears it', () => {
    const store = openStore()
    const first = store.put(RESOURCE, 'a/x', { metadata: { name: 'x' } })
    const second = store.put(RESOURCE, 'a/y', { metadata: { name: 'y' } })
    expect(Number(second.metadata.resourceVersion)).toBe(Number(first.metadata.resourceVersion) + 1)
    expect(store.revision).toBe(Number(second.metadata.resourceVersion))
  })

  test('tells those who wait for a revision when it has come', async () => {
    const store = openStore()
    const reached = store.reached(store.revision + 1, 5000)
    store.put(RESOURCE, 'a/x', { metadata: { name: 'x' } })
    expect(await reached).toBe(true)
    expect(await store.reached(store.revision + 1, 1)).toBe(false)
  })
})

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}`
}
