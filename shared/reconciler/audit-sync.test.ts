import { describe, expect, it } from 'vitest'
import { auditSync } from './audit-sync.ts'
import { NOTHING_WRITTEN } from './slice-changes.ts'
import type { ServiceSync } from './sync/sync-service.ts'
import type { Purpose, SyncResult } from './sync-result.ts'

const RIGHT: SyncResult = NOTHING_WRITTEN
const WRITTEN: SyncResult = { ...NOTHING_WRITTEN, updated: [{ addressType: 'IPv4', endpoints: [] }] }
const wrong = (versions: Readonly<Record<string, string>>): SyncResult => ({
  ...NOTHING_WRITTEN,
  outdated: new Map(Object.entries(versions)),
})

/** Looks that come out like this, one after the other. */
async function audited(...results: SyncResult[]) {
  const done: (Purpose | number)[] = []
  const attempt: Partial<ServiceSync> = {
    async fullSync(purpose) {
      done.push(purpose)
      return results.shift() ?? expect.fail('one sync too many')
    },
  }
  const clock = { now: () => 0, pause: async (ms: number) => void done.push(ms) }
  const { signal } = new AbortController()
  const { isFinding = false, ...result } = await auditSync(attempt as ServiceSync, clock, signal)
  return { result, isFinding, done }
}

describe('a sync of the audit', () => {
  it('is one that reads where all is right', async () => {
    const { done, result, isFinding } = await audited(RIGHT)
    expect(done).toEqual(['audit'])
    expect([result, isFinding]).toEqual([RIGHT, false])
  })

  it('writes nothing where somebody mended it meanwhile', async () => {
    const { done, result, isFinding } = await audited(wrong({ a: '1' }), RIGHT)
    expect(done).toEqual(['audit', 10_000, 'audit'])
    expect([result, isFinding]).toEqual([RIGHT, false])
  })

  it('mends what stayed wrong, and tells of it', async () => {
    const { done, result, isFinding } = await audited(wrong({ a: '1' }), wrong({ a: '1' }), WRITTEN)
    expect(done).toEqual(['audit', 10_000, 'audit', 'write'])
    expect([result, isFinding]).toEqual([WRITTEN, true])
  })

  it.each([
    ['was written', { a: '1' }, { a: '2' }],
    ['was made', { a: '1' }, { a: '1', b: '1' }],
    ['went', { a: '1', b: '1' }, { a: '1' }],
    ['took the place of another one', { a: '1' }, { b: '1' }],
  ])('tells of nothing where a slice %s meanwhile, and mends it', async (_, before, after) => {
    const { result, isFinding } = await audited(wrong(before), wrong(after), WRITTEN)
    expect([result, isFinding]).toEqual([WRITTEN, false])
  })

  it('finds what is missing where there is no slice at all', async () => {
    expect(await audited(wrong({}), wrong({}), WRITTEN)).toMatchObject({ isFinding: true })
  })

  it('tells of nothing where the last sync finds it right', async () => {
    expect(await audited(wrong({ a: '1' }), wrong({ a: '1' }), RIGHT)).toMatchObject({ isFinding: false })
  })
})
