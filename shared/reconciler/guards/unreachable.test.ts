import { describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../../endpointslice/index.ts'
import { ApiError, CircuitOpenError, ConnectionError, ForbiddenError } from '../../kubernetes/index.ts'
import { ANNOTATION_UNVERIFIED_SINCE, annotationOf } from './published/slice-annotations.ts'
import { createAddressFilter } from './refused/refused-addresses.ts'
import { addresses, ago, NOW, slice } from './slices.fixtures.ts'
import {
  isUnreachable,
  policyFor,
  type UnreachablePolicy,
  unreachableEvent,
  unverified,
} from './unreachable.ts'

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

  it.each([401, 403, 500])('of a refusal (%i) is that of an outage, where it says expire', (code) => {
    expect(policyFor(new ApiError('', code, {}), drop)).toMatchObject({ unreachableCluster: 'expire' })
    expect(policyFor(new ApiError('', code, {}), expire)).toEqual(expire)
  })
})

describe('endpoints that cannot be verified', () => {
  const published = slice('a', { addresses: addresses(2) })
  const noted = (since: string) =>
    slice('b', { addresses: addresses(2), annotations: { [ANNOTATION_UNVERIFIED_SINCE]: since } })
  const expire = { unreachableCluster: 'expire', unreachableClusterExpiry: 300 } as const

  const decide = (slices: readonly EndpointSlice[], policy: UnreachablePolicy, refused = 'none') =>
    unverified({ slices, policy, addresses: createAddressFilter(refused), now: NOW })
  /** Returns the slices that stay, and are written. */
  function staying(...args: Parameters<typeof decide>) {
    const outcome = decide(...args)
    if (outcome.kind !== 'stay') throw new Error('they are to stay')
    return outcome
  }

  it('stay with the policy keep, and go with drop', () => {
    expect(decide([published], { ...expire, unreachableCluster: 'keep' })).toEqual({
      kind: 'stay',
      noted: [],
      filtered: [],
    })
    expect(decide([published], { ...expire, unreachableCluster: 'drop' })).toEqual({ kind: 'dropped' })
  })

  it('get a note of since when with the policy expire, and nothing else', () => {
    const { noted: updates, filtered } = staying([published, slice('empty')], expire)
    expect([updates.length, filtered]).toEqual([1, []])
    const [update] = updates
    expect(update && annotationOf(update, ANNOTATION_UNVERIFIED_SINCE)).toBe(ago(0))
    expect(update?.endpoints).toEqual(published.endpoints)
  })

  it.each([
    ['keep', undefined],
    ['expire', ago(0)],
  ] as const)('lose addresses that are refused by now: %s', (unreachableCluster, since) => {
    const policy = { ...expire, unreachableCluster }
    const other = slice('other', { addresses: ['10.9.0.1'] })
    const { filtered } = staying([published, other], policy, '10.0.0.1/32')
    expect(filtered.map(({ metadata, endpoints }) => [metadata?.name, endpoints])).toEqual([
      ['a', published.endpoints?.slice(1)],
    ])
    expect(filtered.map((one) => annotationOf(one, ANNOTATION_UNVERIFIED_SINCE))).toEqual([since])
  })

  it('all have the time of the first sync that failed', () => {
    const { noted: updates } = staying([noted(ago(100)), published], expire)
    expect(
      updates.map((one) => [one.metadata?.name, annotationOf(one, ANNOTATION_UNVERIFIED_SINCE)]),
    ).toEqual([['a', ago(100)]])
  })

  it('go when that is longer ago than the expiry', () => {
    expect(decide([noted(ago(299)), published], expire).kind).toBe('stay')
    expect(decide([noted(ago(300)), published], expire)).toEqual({ kind: 'dropped' })
  })
})

it.each([
  ['keep', false, 'its endpoints stay as they are'],
  ['expire', false, 'its endpoints stay for now, they are removed after 300 s without a read of its pods'],
  ['expire', true, 'its endpoints are removed until it can'],
  ['drop', true, 'its endpoints are removed until it can'],
] as const)(
  'the Event of a cluster out of reach says by policy %s what becomes of endpoints',
  (unreachableCluster, isDropped, outcome) => {
    const policy = { unreachableCluster, unreachableClusterExpiry: 300 }
    expect(unreachableEvent({ ...policy, cluster: 'green', isDropped }).message).toBe(
      `the pods in cluster green cannot be read: ${outcome}`,
    )
  },
)
