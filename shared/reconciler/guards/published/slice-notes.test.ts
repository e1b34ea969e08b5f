import { describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../../../endpointslice/index.ts'
import { ago, NOW, slice } from '../slices.fixtures.ts'
import {
  ANNOTATION_HELD_SINCE,
  ANNOTATION_REPAIRS,
  ANNOTATION_UNVERIFIED_SINCE,
  annotationOf,
  earliestTime,
  pastTime,
  withAnnotation,
} from './slice-annotations.ts'
import { ANNOTATION_NOTES, sealNotes, withOwnNotes } from './slice-notes.ts'

const NOTES = [ANNOTATION_HELD_SINCE, ANNOTATION_REPAIRS, ANNOTATION_UNVERIFIED_SINCE]

const notesOn = (found: EndpointSlice): string[] =>
  NOTES.filter((name) => annotationOf(withOwnNotes(found), name) !== undefined)

describe('notes on a slice', () => {
  const noted = slice('a', { annotations: { [ANNOTATION_HELD_SINCE]: ago(60), other: 'cache' } })

  it('are believed as we wrote them', () => {
    expect(notesOn(noted)).toEqual([ANNOTATION_HELD_SINCE])
    expect(withOwnNotes(noted)).toBe(noted)
  })

  it.each<[string, EndpointSlice]>([
    ['that somebody put there', withAnnotation(slice('a'), ANNOTATION_REPAIRS, `9 ${ago(1)}`)],
    ['of which one was changed', withAnnotation(noted, ANNOTATION_HELD_SINCE, '2001-01-01T00:00:00Z')],
    ['beside one that somebody put there', withAnnotation(noted, ANNOTATION_UNVERIFIED_SINCE, ago(9))],
    ['that were copied from another slice', { ...noted, metadata: { ...noted.metadata, name: 'b' } }],
    ['of before they were sealed', withAnnotation(noted, ANNOTATION_NOTES, undefined)],
  ])('%s are not believed, and are not sealed by our next write', (_what, found) => {
    expect(notesOn(found)).toEqual([])
    expect(notesOn(sealNotes(withOwnNotes(found)))).toEqual([])
    expect(annotationOf(withOwnNotes(noted), 'other')).toBe('cache')
  })

  it('leave no trace once they are taken off', () => {
    const without = sealNotes(withAnnotation(noted, ANNOTATION_HELD_SINCE, undefined))
    expect(annotationOf(without, ANNOTATION_NOTES)).toBeUndefined()
  })
})

describe('times on slices', () => {
  it('are the earliest of them', () => {
    const slices = [60, 90, 30].map((seconds) =>
      slice('a', { annotations: { [ANNOTATION_HELD_SINCE]: ago(seconds) } }),
    )
    expect(earliestTime(slices, ANNOTATION_HELD_SINCE, NOW)).toBe(NOW - 90_000)
  })

  it('are none that are still to come, but for a clock that is ahead', () => {
    expect([-60, -61].map((seconds) => pastTime(ago(seconds), NOW))).toEqual([NOW + 60_000, undefined])
    expect([undefined, '', 'soon'].map((text) => pastTime(text, NOW))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})
