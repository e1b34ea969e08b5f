import { describe, expect, it } from 'vitest'
import { createChangeRecord } from './change-record.ts'

describe('the delay from a change of a pod to its slice', () => {
  it('is the same whichever of the two is told first', () => {
    const record = createChangeRecord()
    record.changed('a', 100, false)
    record.shown('a', 130, false)
    record.shown('b', 250, true)
    record.changed('b', 200, true)
    expect([record.latencies, record.open]).toEqual([[30, 50], 0])
  })

  it('does not end with a slice of before, nor with one that shows something else', () => {
    const record = createChangeRecord()
    record.shown('a', 90, false)
    record.changed('a', 100, false)
    record.shown('a', 120, true)
    expect([record.latencies, record.open]).toEqual([[], 1])
  })

  it('is that of each change where one slice shows the last of several', () => {
    const record = createChangeRecord()
    record.changed('a', 100, false)
    record.changed('a', 110, true)
    record.changed('a', 120, false)
    record.shown('a', 150, false)
    expect([record.latencies, record.open]).toEqual([[50, 40, 30], 0])
  })
})
