import { describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../../../endpointslice/index.ts'
import { ago, NOW, slice } from '../slices.fixtures.ts'
import {
  ANNOTATION_HELD_SINCE,
  ANNOTATION_REPAIRS,
  ANNOTATION_UNVERIFIED_SINCE,
  annotationOf,
  earliestTime,
  isAlive,
  isNoted,
  nameOf,
  withAnnotation,
} from './slice-annotations.ts'

describe('an annotation of a slice', () => {
  const noted = slice('a', { annotations: { [ANNOTATION_HELD_SINCE]: ago(60), other: 'cache' } })

  it('is put on a copy beside the others, and taken off alone', () => {
    const again = withAnnotation(noted, ANNOTATION_HELD_SINCE, 'x')
    expect([again, noted].map((one) => annotationOf(one, ANNOTATION_HELD_SINCE))).toEqual(['x', ago(60)])
    const without = withAnnotation(noted, ANNOTATION_HELD_SINCE, undefined)
    expect(without.metadata?.annotations).not.toHaveProperty(ANNOTATION_HELD_SINCE)
    expect([again, without].map((one) => annotationOf(one, 'other'))).toEqual(['cache', 'cache'])
    expect(without.metadata).toMatchObject({ name: 'a', uid: 'uid-a' })
  })

  it.each([
    [ANNOTATION_HELD_SINCE, true],
    [ANNOTATION_UNVERIFIED_SINCE, true],
    [ANNOTATION_REPAIRS, false],
  ])('named %s is for the next sync to heed: %s', (name, isHeeded) => {
    expect(isNoted(slice('a', { annotations: { [name]: ago(1) } }))).toBe(isHeeded)
  })
})

describe('a slice that says nothing of itself', () => {
  const bare: EndpointSlice = { addressType: 'IPv4', endpoints: [] }

  it('has no name, no annotation and no time, and is there to stay', () => {
    expect([nameOf(bare), annotationOf(bare, 'x'), isNoted(bare), isAlive(bare)]).toEqual([
      '',
      undefined,
      false,
      true,
    ])
    expect(earliestTime([bare], ANNOTATION_HELD_SINCE, NOW)).toBeUndefined()
  })

  it('can be annotated', () => {
    expect(annotationOf(withAnnotation(bare, 'x', 'y'), 'x')).toBe('y')
  })
})

it.each([
  [undefined, true],
  [null, true],
  [ago(1), false],
])('a slice that is deleted since %s is there to stay: %s', (deletionTimestamp, isThere) => {
  const found = slice('a')
  const metadata = { ...found.metadata, deletionTimestamp }
  expect(isAlive({ ...found, metadata } as EndpointSlice)).toBe(isThere)
})
