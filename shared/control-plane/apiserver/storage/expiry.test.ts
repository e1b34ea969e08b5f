import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { MemoryBackend } from './backend.ts'
import { startExpiry } from './expiry.ts'
import { ObjectStore } from './object-store.ts'

const START = Date.parse('2026-01-01T00:00:00Z')
const fail = (error: unknown): void => {
  throw error
}
const options = { resource: 'events', seconds: 60, onError: fail }
const event = (name: string, creationTimestamp = '2026-01-01T00:00:00Z') => ({
  metadata: { namespace: 'n', name, creationTimestamp },
})
const names = (store: ObjectStore) => store.list('events', '').map(({ metadata }) => metadata.name)

beforeEach(() => {
  vi.useFakeTimers({ now: START })
})
afterEach(() => {
  vi.useRealTimers()
})

it('removes what was not written for the time, and emits a deletion', () => {
  const store = new ObjectStore(new MemoryBackend(), { changes: 100 })
  const stop = startExpiry(store, options)
  const reported: string[] = []
  store.subscribe('events', ({ type, key }) => reported.push(`${type} ${key}`))
  store.put('events', 'n/a', event('a'))
  vi.advanceTimersByTime(59_999)
  expect(names(store)).toEqual(['a'])
  vi.advanceTimersByTime(1)
  expect(names(store)).toEqual([])
  expect(reported).toEqual(['ADDED n/a', 'DELETED n/a'])
  stop()
})

it('begins to count again with every write', () => {
  const store = new ObjectStore(new MemoryBackend(), { changes: 100 })
  const stop = startExpiry(store, options)
  store.put('events', 'n/a', event('a'))
  store.put('events', 'n/b', event('b'))
  vi.advanceTimersByTime(40_000)
  store.put('events', 'n/a', event('a'))
  vi.advanceTimersByTime(40_000)
  expect(names(store)).toEqual(['a'])
  vi.advanceTimersByTime(20_000)
  expect(names(store)).toEqual([])
  stop()
})

it('counts from the last write of what was there before', () => {
  const store = new ObjectStore(new MemoryBackend(), { changes: 100 })
  const written = event('late', '2025-12-31T23:50:00Z')
  store.put('events', 'n/late', {
    metadata: { ...written.metadata, managedFields: [{ time: '2025-12-31T23:59:30Z' }] },
  })
  store.put('events', 'n/early', event('early', '2025-12-31T23:58:00Z'))
  const stop = startExpiry(store, options)
  vi.advanceTimersByTime(0)
  expect(names(store)).toEqual(['late'])
  vi.advanceTimersByTime(30_000)
  expect(names(store)).toEqual([])
  stop()
})

it('leaves everything alone once it has ended', () => {
  const store = new ObjectStore(new MemoryBackend(), { changes: 100 })
  const stop = startExpiry(store, options)
  store.put('events', 'n/a', event('a'))
  stop()
  vi.advanceTimersByTime(600_000)
  expect(names(store)).toEqual(['a'])
})
