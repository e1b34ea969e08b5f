import { describe, expect, it } from 'vitest'
import { addressTypesOf, isHeadless } from './address-types.ts'
import { aService } from './plan.fixtures.ts'

describe('addressTypesOf', () => {
  it.each([
    [['IPv4'], ['IPv4']],
    [['IPv6'], ['IPv6']],
    [
      ['IPv6', 'IPv4'],
      ['IPv4', 'IPv6'],
    ],
  ])('follows the families %j', (ipFamilies, types) => {
    expect(addressTypesOf(aService({ ipFamilies }))).toEqual(types)
  })

  it('follows the cluster IP of a Service without families', () => {
    expect(addressTypesOf(aService({ ipFamilies: [], clusterIP: '10.96.0.1' }))).toEqual(['IPv4'])
    expect(addressTypesOf(aService({ ipFamilies: [], clusterIP: 'fd00::1' }))).toEqual(['IPv6'])
  })

  it.each(['None', ''])('takes both for a Service without families and the cluster IP %j', (clusterIP) => {
    expect(addressTypesOf(aService({ ipFamilies: [], clusterIP }))).toEqual(['IPv4', 'IPv6'])
  })
})

describe('isHeadless', () => {
  it('is true without a cluster IP of its own', () => {
    expect(isHeadless(aService({ clusterIP: 'None' }))).toBe(true)
    expect(isHeadless(aService({ clusterIP: '' }))).toBe(true)
    expect(isHeadless(aService({ clusterIP: '10.96.0.1' }))).toBe(false)
  })
})
