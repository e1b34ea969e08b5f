import { describe, expect, it } from 'vitest'
import type { EndpointSlice, Service } from '../../endpointslice/index.ts'
import { familyCondition } from './import-families.ts'

type Family = 'IPv4' | 'IPv6'
const serviceOf = (ipFamilies: Family[]): Service => ({ metadata: { name: 'web' }, spec: { ipFamilies } })
const sliceOf = (addressType: Family, ready: boolean): EndpointSlice => ({
  addressType,
  endpoints: [{ addresses: ['…'], conditions: { ready } }],
})
const wantedConditionOf = (
  assigned: Family[],
  exported: Family[],
  slices: readonly EndpointSlice[] = [],
): ReturnType<typeof familyCondition> =>
  familyCondition({
    home: 'four',
    derived: serviceOf(assigned),
    sources: [{ cluster: 'six', service: serviceOf(exported), slices: [] }],
    slices,
  })

describe('familyCondition', () => {
  it.each<[Family, Family]>([
    ['IPv4', 'IPv6'],
    ['IPv6', 'IPv4'],
  ])('says that a cluster of %s cannot reach an export of %s', (assigned, exported) => {
    for (const slices of [[], [sliceOf(exported, true)]])
      expect(wantedConditionOf([assigned], [exported], slices)).toEqual({
        type: 'Ready',
        status: 'False',
        reason: 'IPFamilyNotSupported',
        message: `cluster four assigns ${assigned}, and the exports have ${exported} only`,
      })
  })

  it('says so of a dual-stack export with ready endpoints in the other family only', () => {
    const slices = [sliceOf('IPv4', false), sliceOf('IPv6', true)]
    expect(wantedConditionOf(['IPv4'], ['IPv4', 'IPv6'], slices)).toMatchObject({
      reason: 'IPFamilyNotSupported',
      message: 'cluster four assigns IPv4, and endpoints are ready in IPv6 only',
    })
    expect(wantedConditionOf(['IPv4', 'IPv6'], ['IPv4', 'IPv6'], slices)).toBeUndefined()
  })

  it('says nothing where a family is shared, nothing is ready at all, or the import is headless', () => {
    expect(wantedConditionOf(['IPv4'], ['IPv4', 'IPv6'], [sliceOf('IPv4', true)])).toBeUndefined()
    expect(wantedConditionOf(['IPv4'], ['IPv4', 'IPv6'], [sliceOf('IPv6', false)])).toBeUndefined()
    const headless = { home: 'four', derived: undefined, sources: [], slices: [sliceOf('IPv6', true)] }
    expect(familyCondition(headless)).toBeUndefined()
  })
})
