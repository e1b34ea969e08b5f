import { describe, expect, it } from 'vitest'
import { lastWriteOf } from './last-write.ts'

const of = (managedFields: unknown): ReturnType<typeof lastWriteOf> =>
  lastWriteOf({ metadata: { managedFields: managedFields as never } })

const EARLY = { manager: 'early', operation: 'Update', time: '2026-03-01T12:00:00Z' }
const LATE = { manager: 'late', operation: 'Apply', time: '2026-03-01T13:00:00Z' }

describe('the last write of a slice', () => {
  it('is the newest, in whatever order the server has them', () => {
    expect(of([EARLY, LATE])).toEqual(LATE)
    expect(of([LATE, EARLY])).toEqual(LATE)
  })

  it('is the last one of several of one second, and one without a time before all others', () => {
    expect(of([EARLY, { ...LATE, time: EARLY.time }])?.manager).toBe('late')
    expect(of([EARLY, { manager: 'timeless' }])).toEqual(EARLY)
    expect(of([{ manager: 'timeless' }])).toStrictEqual({ manager: 'timeless', operation: '' })
  })

  it('is that of a manager that counts', () => {
    const metadata = { managedFields: [EARLY, LATE] }
    expect(lastWriteOf({ metadata }, (manager) => manager !== 'late')).toEqual(EARLY)
    expect(lastWriteOf({ metadata }, () => false)).toBeUndefined()
  })

  it('is none where the server has no managedFields, or what are none', () => {
    for (const none of [undefined, null, [], {}, 'x', [null, 1, {}, { manager: '' }, { manager: 7 }]])
      expect(of(none)).toBeUndefined()
    expect(lastWriteOf({})).toBeUndefined()
  })
})
