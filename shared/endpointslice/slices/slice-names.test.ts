import { describe, expect, it } from 'vitest'
import { aService } from '../plan.fixtures.ts'
import type { EndpointSlice } from '../types.ts'
import { SliceNames } from './slice-names.ts'

const slice: EndpointSlice = {
  metadata: { generateName: 'web-' },
  addressType: 'IPv4',
  endpoints: [],
  ports: [{ name: 'http', port: 80 }],
}
const names = (taken: string[] = [], service = aService()) => new SliceNames(service, new Set(taken))

describe('SliceNames', () => {
  it('makes names that the API server could have generated', () => {
    expect(names().next(slice)).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{8}$/)
  })

  it('makes the same names from the same situation', () => {
    const [a, b] = [names(), names()]
    expect([a.next(slice), a.next(slice)]).toEqual([b.next(slice), b.next(slice)])
  })

  it('makes the same names in every version, as workers of two may write at once', () => {
    const one = names()
    expect([one.next(slice), one.next(slice), one.next(slice)]).toEqual([
      'web-wg788ccs',
      'web-rqpl6zqf',
      'web-j4vc5rn7',
    ])
  })

  it('never makes a name twice', () => {
    const one = names()
    expect(new Set(Array.from({ length: 50 }, () => one.next(slice))).size).toBe(50)
  })

  it('takes the next ordinal for a name that is taken, and the first again when it is free', () => {
    const [first, second] = [names().next(slice), names([names().next(slice)]).next(slice)]
    expect(second).not.toBe(first)
    const both = names()
    expect([both.next(slice), both.next(slice)]).toEqual([first, second])
    expect(names([second]).next(slice)).toBe(first)
  })

  it.each<[string, EndpointSlice]>([
    ['address type', { ...slice, addressType: 'IPv6' }],
    ['port set', { ...slice, ports: [] }],
  ])('makes other names for another %s', (_, other) => {
    expect(names().next(other)).not.toBe(names().next(slice))
  })

  it('makes other names for a newer Service of the same name', () => {
    expect(names([], aService({}, { uid: 'newer' })).next(slice)).not.toBe(names().next(slice))
  })

  it('keeps names within 253 characters', () => {
    const long = { ...slice, metadata: { generateName: 'a'.repeat(253) } }
    expect(names().next(long)).toHaveLength(253)
  })
})
