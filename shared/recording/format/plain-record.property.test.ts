import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RecordingError } from '../index.ts'
import { A_CHANGE, A_GONE, A_SNAPSHOT, A_START, A_WRITE, LOST } from '../records.fixtures.ts'
import { isPlainRecord } from './plain-record.ts'
import { checkRecord } from './record-schema.ts'

/** Values that a program may write in place of others. */
const anything = fc.oneof(
  fc.constantFrom(undefined, null, '', [], {}, [''], [{}], { name: 7 }, '2026-02-30T00:00:00.000Z', 'live'),
  fc.double(),
  fc.jsonValue(),
)

/** A write or change with one wrong value. */
const broken = fc
  .tuple(fc.constantFrom(A_WRITE, A_CHANGE), fc.nat(), anything)
  .map(([record, place, value]) => {
    const copy = structuredClone<object>(record)
    const [holder, name] = placesOf(copy)[place % placesOf(copy).length] ?? [copy, 'v']
    Object.assign(holder, { [name]: value })
    return copy
  })

/** Returns each member of an object, recursively, with its holder. */
const placesOf = (holder: object): (readonly [object, string])[] =>
  Object.entries(holder).flatMap(([name, value]) => [
    [holder, name] as const,
    ...(typeof value === 'object' && value !== null ? placesOf(value) : []),
  ])

function isAccepted(record: object): boolean {
  try {
    return checkRecord(record)
  } catch (error) {
    if (error instanceof RecordingError) return false
    throw error
  }
}

describe('the fast check of a line', () => {
  it('accepts valid writes and changes, and leaves other kinds to the schema', () => {
    expect([A_WRITE, A_CHANGE].map(isPlainRecord)).toEqual([true, true])
    expect([A_START, A_SNAPSHOT, A_GONE, LOST].map(isPlainRecord)).toEqual([false, false, false, false])
  })

  it('accepts nothing that the schema rejects', () => {
    fc.assert(
      fc.property(broken, (record) => {
        if (isPlainRecord(record)) expect(isAccepted(record)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})
