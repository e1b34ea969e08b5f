import { describe, expect, it } from 'vitest'
import type { SkippedObject } from '../../endpointslice/index.ts'
import {
  fightEvent,
  handoverEvent,
  holdEvent,
  refusedAddressesEvent,
  unreachableEvent,
} from './guard-events.ts'
import { changes } from './slices.fixtures.ts'

const SETTINGS = { heldPlanExpiry: 600, maximumEndpoints: 5 }
const since = '2026-01-01T12:00:00.000Z'
const removal = { ready: 10, lost: 8 }

describe('the Event of a hold', () => {
  it('says since when, and until when where it expires', () => {
    const held = { kind: 'held', removal, since, changes: changes() } as const
    expect(holdEvent(held, SETTINGS)?.message).toContain(
      `held since ${since} until \`sliceflow release\`, or after 600 s; the slices`,
    )
    expect(holdEvent(held, { ...SETTINGS, heldPlanExpiry: 0 })?.message).toContain(
      `held since ${since} until \`sliceflow release\`; the slices`,
    )
  })

  it.each([
    ['command', 'it was released'],
    ['expiry', 'it was held for as long as heldPlanExpiry says'],
  ] as const)('that is over by %s says that %s', (by, why) => {
    const event = holdEvent({ kind: 'released', removal, by }, SETTINGS)
    expect(event).toMatchObject({ type: 'Normal', reason: 'PlanReleased' })
    expect(event?.message.endsWith(`maximumRemoval allows: ${why}`)).toBe(true)
  })

  it.each([
    ['custom', 'replace'],
    ['replace', 'custom'],
  ] as const)('over slices that mode %s would delete names mode %s, which would keep them', (mode, other) => {
    expect(handoverEvent(since, [], mode).message).toMatch(
      new RegExp(`^mode ${mode} would delete the slices, which mode ${other} would keep,`),
    )
  })
})

describe('the Event of a fight', () => {
  it.each([
    ['edits', 'kubectl', /^kubectl keeps changing EndpointSlice a, b: /],
    ['edits', undefined, /^a writer that managedFields do not name, .* keeps changing EndpointSlice a, b: /],
    ['deletions', 'kubectl', /^kubectl keeps deleting the EndpointSlices/],
    ['deletions', undefined, /^somebody keeps deleting the EndpointSlices/],
  ] as const)('over %s by %s says who does what', (kind, opponent, words) => {
    expect(fightEvent({ kind, opponent, slices: ['a', 'b'], quietMs: 1 }).message).toMatch(words)
  })
})

describe('the Event of refused addresses', () => {
  const skip = (name: string, reason: SkippedObject['reason'] = 'RefusedAddress'): SkippedObject => ({
    kind: 'Pod',
    namespace: 'shop',
    name,
    reason,
    message: 'its address is bad',
  })

  it('names the first by name, in whatever order they come, so that it has the same words each time', () => {
    for (const skipped of [
      [skip('b'), skip('a')],
      [skip('a'), skip('b')],
    ])
      expect(refusedAddressesEvent(skipped)?.message).toContain('that of Pod shop/a: its address is bad;')
  })

  it('is none where all was left out for other reasons, or nothing was', () => {
    const others = skip('a', 'InvalidAddress' as SkippedObject['reason'])
    expect([refusedAddressesEvent([others]), refusedAddressesEvent([])]).toEqual([undefined, undefined])
    expect(refusedAddressesEvent([others, skip('b')])?.message).toContain('that of Pod shop/b')
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
