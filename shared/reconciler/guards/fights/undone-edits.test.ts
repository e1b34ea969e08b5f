import { describe, expect, it } from 'vitest'
import { NOW } from '../slices.fixtures.ts'
import { parseRepairs, quietLeft, repairedEdit, repairsText, type SliceRepairs } from './undone-edits.ts'

/**
 * Repairs one after the other, each as soon as it may be, of these edits in turn; and how long each waited,
 * in seconds.
 */
function repairsInARow(times: number, edits: readonly string[]) {
  const waits: number[] = []
  let repairs: SliceRepairs | undefined
  for (let now = NOW; waits.length < times; ) {
    const edit = edits[waits.length % edits.length] ?? ''
    const wait = repairs === undefined ? 0 : quietLeft(repairs, now, edit)
    now += wait
    waits.push(wait / 1000)
    repairs = repairedEdit(repairs, edit, now)
  }
  return { waits, repairs }
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `edit-${at}`)

describe('repairs of a slice', () => {
  it('of the same edit are made at once five times, and then at intervals that double up to ten minutes', () => {
    expect(repairsInARow(12, ['a']).waits).toEqual([0, 0, 0, 0, 0, 30, 60, 120, 240, 480, 600, 600])
  })

  it('of two edits in turn wait for each of them', () => {
    expect(repairsInARow(12, ['a', 'b']).waits).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 30, 30])
  })

  it('of edits that never come back do not wait, but for very many', () => {
    const { waits } = repairsInARow(52, numbered(52))
    expect(waits).toEqual([...Array.from({ length: 50 }, () => 0), 30, 60])
  })

  it('are counted again after ten minutes of peace', () => {
    const { repairs } = repairsInARow(3, ['a'])
    expect(repairedEdit(repairs, 'a', NOW + 599_000).count).toBe(4)
    expect(repairedEdit(repairs, 'a', NOW + 600_000)).toEqual({
      count: 1,
      last: NOW + 600_000,
      edits: new Map([['a', 1]]),
    })
  })

  it('wait longest for the edit that came back most often', () => {
    const { repairs } = repairsInARow(5, ['a'])
    expect(repairs && [quietLeft(repairs, NOW), quietLeft(repairs, NOW, 'b')]).toEqual([30_000, 0])
  })

  it('are reported by an annotation, of sixteen edits at most', () => {
    const { repairs } = repairsInARow(20, numbered(20))
    const text = repairs === undefined ? '' : repairsText(repairs)
    expect(text).toMatch(/^20 2026-01-01T12:00:00.000Z edit-19:1 edit-18:1 .* edit-4:1$/)
    expect(parseRepairs(text, NOW)).toEqual(repairs)
  })

  it.each([
    undefined,
    '',
    '3',
    '3 soon',
    '-1 2026-01-01T12:00:00Z',
    '9e9 2026-01-01T12:00:00Z',
    '0 2026-01-01T12:00:00Z',
    '7 2026-01-01T12:01:01Z a:7',
    '7 9999-01-01T12:00:00Z a:7',
  ])('are none in an annotation like %j', (text) => {
    expect(parseRepairs(text, NOW)).toBeUndefined()
  })

  it('leave out of an annotation what is no edit with a number', () => {
    expect(parseRepairs('3 2026-01-01T12:00:00Z a:2 b c:-1 :', NOW)?.edits).toEqual(new Map([['a', 2]]))
  })
})
