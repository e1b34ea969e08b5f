import { describe, expect, it } from 'vitest'
import { addresses, slice } from '../slices.fixtures.ts'
import { ANNOTATION_PUBLISHED, ourReadyIn, withoutForeign, withRecord } from './published-annotation.ts'
import { annotationOf } from './slice-annotations.ts'

const bogus = { addresses: ['6.6.6.6'] }
const ours = withRecord(slice('a', { addresses: addresses(2) }))
const edited = { ...ours, endpoints: [...(ours.endpoints ?? []), bogus] }
const nothing = new Set<never>()

describe('the record of what is published', () => {
  it('is the same whatever order the endpoints are in', () => {
    const turned = withRecord(slice('a', { addresses: addresses(9).toReversed() }))
    expect(annotationOf(turned, ANNOTATION_PUBLISHED)).toBe(
      annotationOf(withRecord(slice('a', { addresses: addresses(9) })), ANNOTATION_PUBLISHED),
    )
  })

  it('tells of a slice that was edited which ready addresses are ours', () => {
    expect([...ourReadyIn(edited, nothing)]).toEqual(['IPv4/10.0.0.1', 'IPv4/10.0.0.2'])
    expect(ourReadyIn(ours, nothing).size).toBe(2)
  })

  it('tells which endpoints are to be taken out, and that none are where there are no others', () => {
    expect(withoutForeign(edited, nothing)?.endpoints).toEqual(ours.endpoints)
    const relabelled = { ...ours, ports: [] }
    expect(withoutForeign(relabelled, nothing)).toBeUndefined()
    expect(withoutForeign(ours, nothing)).toBeUndefined()
  })

  it('leaves an endpoint of which one address is ours or kept', () => {
    const both = { addresses: ['10.0.0.1', '6.6.6.6'] }
    const found = { ...ours, endpoints: [both, bogus] }
    expect(withoutForeign(found, nothing)?.endpoints).toEqual([both])
  })

  it('takes nothing out of a slice that somebody has emptied', () => {
    const { endpoints: _, ...rest } = ours
    for (const emptied of [{ ...rest, endpoints: [] }, rest as typeof ours])
      expect(withoutForeign(emptied, nothing)).toBeUndefined()
  })
})
