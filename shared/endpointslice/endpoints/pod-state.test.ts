import { describe, expect, it } from 'vitest'
import { aPod, aService } from '../plan.fixtures.ts'
import { isPodCounted, isPodReady, publishedHostname } from './pod-state.ts'

describe('isPodReady', () => {
  it('follows the Ready condition, and no other', () => {
    expect(isPodReady(aPod('p'))).toBe(true)
    expect(isPodReady(aPod('p', { ready: false }))).toBe(false)
    expect(isPodReady({ status: { conditions: [{ type: 'ContainersReady', status: 'True' }] } })).toBe(false)
    expect(isPodReady({})).toBe(false)
  })
})

describe('isPodCounted', () => {
  it('counts a pod with an IP, also one that is being deleted', () => {
    expect(isPodCounted(aPod('p'))).toBe(true)
    expect(isPodCounted(aPod('p', { terminating: true }))).toBe(true)
    expect(isPodCounted({ status: { podIP: '10.0.0.1' } })).toBe(true)
  })

  it('does not count a pod that has ended or has no IP', () => {
    expect(isPodCounted(aPod('p', { phase: 'Failed' }))).toBe(false)
    expect(isPodCounted(aPod('p', { phase: 'Succeeded' }))).toBe(false)
    expect(isPodCounted(aPod('p', { ips: [] }))).toBe(false)
  })
})

describe('publishedHostname', () => {
  it('is absent when the pod has none, whatever its subdomain', () => {
    expect(publishedHostname(aPod('p', { spec: { subdomain: 'web' } }), aService())).toBeUndefined()
    expect(
      publishedHostname(aPod('p', { spec: { hostname: '', subdomain: 'web' } }), aService()),
    ).toBeUndefined()
  })
})
