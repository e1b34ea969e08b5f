import { describe, expect, it } from 'vitest'
import { ApiError, CircuitOpenError, ConnectionError, ForbiddenError } from '../../kubernetes/index.ts'
import { ANNOTATION_UNVERIFIED_SINCE, annotationOf } from './slice-annotations.ts'
import { addresses, ago, NOW, slice } from './slices.fixtures.ts'
import { isUnreachable, policyFor, unverified } from './unreachable.ts'

const refused = (): ConnectionError => new ConnectionError('failed to list', 'ECONNREFUSED')

describe('a cluster that pods are in', () => {
  it.each([
    ['refuses connections', refused()],
    ['does not answer in time', new ConnectionError('', 'ETIMEDOUT')],
    ['is not called any more', new CircuitOpenError('', 30, refused())],
  ])('cannot be reached when it %s', (_what, error) => {
    expect(isUnreachable(error)).toBe(true)
  })

  it.each([
    ['refuses the request', new ForbiddenError('', 403, {})],
    ['has a certificate that is not accepted', new ConnectionError('', 'CERT_HAS_EXPIRED')],
    ['answers what cannot be read', new ConnectionError('', 'EBADMESSAGE')],
    [
      'is not called since it answered with errors',
      new CircuitOpenError('', 30, new ForbiddenError('', 403, {})),
    ],
  ])('can be reached when it %s', (_what, error) => {
    expect(isUnreachable(error)).toBe(false)
  })
})

describe('the policy for endpoints that cannot be verified', () => {
  const forbidden = new ForbiddenError('', 403, {})
  const drop = { unreachableCluster: 'drop', unreachableClusterExpiry: 3600 } as const
  const expire = { ...drop, unreachableCluster: 'expire' } as const

  it.each([
    ['of an outage', refused(), drop],
    ['of a refusal, which may be over in a minute', forbidden, { ...expire, unreachableClusterExpiry: 60 }],
    [
      'of calls that are not made any more',
      new CircuitOpenError('', 30, forbidden),
      { ...expire, unreachableClusterExpiry: 60 },
    ],
    ['of anything else', new ApiError('', 429, {}), { ...drop, unreachableCluster: 'keep' }],
  ])('%s, where it says drop', (_what, error, policy) => {
    expect(policyFor(error, drop)).toEqual(policy)
  })

  it('of a refusal is that of an outage, where it says expire', () => {
    expect(policyFor(forbidden, expire)).toEqual(expire)
  })
})

describe('endpoints that cannot be verified', () => {
  const published = slice('a', { addresses: addresses(2) })
  const noted = (since: string) =>
    slice('b', { addresses: addresses(2), annotations: { [ANNOTATION_UNVERIFIED_SINCE]: since } })
  const expire = { unreachableCluster: 'expire', unreachableClusterExpiry: 300 } as const

  it('stay with the policy keep, and go with drop', () => {
    expect(unverified([published], { ...expire, unreachableCluster: 'keep' }, NOW)).toEqual({ kind: 'kept' })
    expect(unverified([published], { ...expire, unreachableCluster: 'drop' }, NOW)).toEqual({
      kind: 'dropped',
    })
  })

  it('get a note of since when with the policy expire, and nothing else', () => {
    const outcome = unverified([published, slice('empty')], expire, NOW)
    expect(outcome).toMatchObject({ kind: 'noted', changes: { create: [], delete: [] } })
    if (outcome.kind !== 'noted') return
    expect(outcome.changes.update).toHaveLength(1)
    const [update] = outcome.changes.update
    expect(update && annotationOf(update, ANNOTATION_UNVERIFIED_SINCE)).toBe(ago(0))
    expect(update?.endpoints).toEqual(published.endpoints)
  })

  it('all have the time of the first look that failed', () => {
    const outcome = unverified([noted(ago(100)), published], expire, NOW)
    const update = outcome.kind === 'noted' ? outcome.changes.update : []
    expect(update.map((one) => [one.metadata?.name, annotationOf(one, ANNOTATION_UNVERIFIED_SINCE)])).toEqual(
      [['a', ago(100)]],
    )
  })

  it('go when that is longer ago than the expiry', () => {
    expect(unverified([noted(ago(299)), published], expire, NOW).kind).toBe('noted')
    expect(unverified([noted(ago(300)), published], expire, NOW)).toEqual({ kind: 'dropped' })
  })
})
