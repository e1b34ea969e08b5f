import { describe, expect, it } from 'vitest'
import { parseRecord, RecordingError } from '../index.ts'
import { A_CHANGE, A_GONE, A_SNAPSHOT, A_START, A_WRITE, LOST } from '../records.fixtures.ts'

describe('parseRecord', () => {
  it.each([A_START, A_SNAPSHOT, A_GONE, A_WRITE, A_CHANGE, LOST])(
    'reads a record of kind $kind',
    (record) => {
      expect(parseRecord(JSON.stringify(record))).toEqual(record)
    },
  )

  it('preserves unknown members', () => {
    const record = { ...A_WRITE, durationMs: 3 }
    expect(parseRecord(JSON.stringify(record))).toEqual(record)
  })

  it('skips an unknown kind', () => {
    expect(parseRecord('{"v":1,"kind":"weather","time":"2026-11-22T00:00:00.000Z"}')).toBeUndefined()
  })

  it.each([
    [
      'a line that is cut off',
      JSON.stringify(A_WRITE).slice(0, 90),
      'is not JSON, or is cut off after 90 characters',
    ],
    ['no object', '7', 'is not a record: Invalid input: expected object, received number'],
    [
      'another version',
      JSON.stringify({ ...A_CHANGE, v: 2 }),
      'is of version 2; this program reads version 1',
    ],
    ['a write without its Service', JSON.stringify({ ...A_WRITE, service: undefined }), 'service: '],
    [
      'an endpoint without an address',
      JSON.stringify({ ...A_WRITE, came: [{ addresses: [] }] }),
      'came.0.addresses: ',
    ],
    ['an invalid time', JSON.stringify({ ...A_WRITE, time: 'noon' }), 'time: '],
  ])('refuses %s and says why', (_, line, problem) => {
    expect(() => parseRecord(line)).toThrow(RecordingError)
    expect(() => parseRecord(line)).toThrow(problem)
  })

  it('quotes nothing of a rejected line', () => {
    expect(() => parseRecord('{"password": "hunter2')).not.toThrow('hunter2')
  })
})
