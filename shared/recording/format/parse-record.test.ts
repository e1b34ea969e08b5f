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
    ['no object', '7', 'is not a record: it is no object with a version'],
    [
      'another version',
      JSON.stringify({ ...A_CHANGE, v: 2 }),
      'is of version 2; this program reads version 1',
    ],
  ])('refuses %s and says why', (_, line, problem) => {
    expect(() => parseRecord(line)).toThrow(RecordingError)
    expect(() => parseRecord(line)).toThrow(problem)
  })

  it.each([
    [A_WRITE, { service: undefined }],
    [A_WRITE, { time: 'noon' }],
    [A_WRITE, { action: 'patch' }],
    [A_WRITE, { came: [{ addresses: [] }] }],
    [A_WRITE, { came: [{ addresses: ['10.0.0.1'], targetRef: { name: 7 } }] }],
    [A_WRITE, { went: [{ endpoint: { addresses: ['10.0.0.1'] } }] }],
    [A_WRITE, { changed: [{ addresses: ['10.0.0.1'], from: {}, to: null }] }],
    [A_WRITE, { message: { ids: ['m1'] } }],
    [A_WRITE, { pods: { 'web-1': 7 } }],
    [A_CHANGE, { ages: ['now'] }],
    [A_CHANGE, { lane: 'fast' }],
    [A_START, { settings: { mode: null } }],
    [A_START, { isFirst: 'yes' }],
    [A_SNAPSHOT, { ports: [80] }],
    [A_GONE, { version: '' }],
    [LOST, { count: null }],
  ])('names the member of a record that is wrong: %#', (record, wrong) => {
    const line = JSON.stringify({ ...record, ...wrong })
    expect(() => parseRecord(line)).toThrow(RecordingError)
    expect(() => parseRecord(line)).toThrow(`"${Object.keys(wrong)[0]}" is missing, or not of the`)
  })

  it('quotes nothing of a rejected line', () => {
    expect(() => parseRecord('{"password": "hunter2')).not.toThrow('hunter2')
  })
})
