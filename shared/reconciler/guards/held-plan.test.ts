import { describe, expect, it } from 'vitest'
import { ANNOTATION_RELEASE, isSealed } from '../../changes/index.ts'
import { HELD_GUARD, holdNote, holdOf } from './held-plan.ts'
import { ANNOTATION_HELD_SINCE, annotationOf } from './published/slice-annotations.ts'
import { addresses, ago, changes, NOW, service, slice } from './slices.fixtures.ts'

const SETTINGS = { maximumRemoval: 0.5, maximumRemovalCount: 2, heldPlanExpiry: 600 }

/** Makes a plan that leaves two of ten endpoints. */
function plan(heldSince?: string) {
  const annotations: Record<string, string> =
    heldSince === undefined ? {} : { [ANNOTATION_HELD_SINCE]: heldSince }
  const slices = [
    slice('b', { addresses: addresses(5, 6) }),
    slice('a', { addresses: addresses(5), annotations }),
  ]
  return {
    slices,
    changes: changes({ update: [slice('a', { addresses: addresses(2) })], delete: slices.slice(0, 1) }),
  }
}

describe('a plan that takes too much away', () => {
  it('is held as a whole, with a note on the first slice by name that leaves its seal as it is', () => {
    const hold = holdOf({ service: service(), ...plan() }, SETTINGS, NOW)

    expect(hold).toMatchObject({ kind: 'held', removal: { ready: 10, lost: 8 }, since: ago(0) })
    if (hold.kind !== 'held') return
    expect(hold.changes).toMatchObject({ create: [], delete: [] })
    const [noted] = hold.changes.update
    expect(noted?.metadata).toMatchObject({ name: 'a', resourceVersion: '1' })
    expect(noted?.endpoints).toHaveLength(5)
    expect(noted && annotationOf(noted, ANNOTATION_HELD_SINCE)).toBe(ago(0))
    expect(noted && isSealed(noted)).toBe(true)
  })

  it.each([
    ['the time of this hold', ago(60), 'released'],
    ['the time of an older one', ago(4000), 'held'],
    ['anything else', 'yes', 'held'],
  ])('with a release that names %s it is %s', (_what, release, kind) => {
    const released = service({ [ANNOTATION_RELEASE]: release })
    expect(holdOf({ service: released, ...plan(ago(60)) }, SETTINGS, NOW).kind).toBe(kind)
  })

  it('is released after the expiry, and not before', () => {
    expect(holdOf({ service: service(), ...plan(ago(599)) }, SETTINGS, NOW).kind).toBe('held')
    expect(holdOf({ service: service(), ...plan(ago(600)) }, SETTINGS, NOW)).toMatchObject({
      kind: 'released',
      by: 'expiry',
    })
  })
})

describe('a plan that takes little away', () => {
  it('is not held, also while a note tells of an earlier one', () => {
    const { slices } = plan(ago(60))
    const small = changes({ delete: slices.slice(0, 1) })
    expect(holdOf({ service: service(), slices, changes: small }, SETTINGS, NOW)).toEqual({ kind: 'none' })
  })
})

it('a hold is noted on no slice that is being deleted', () => {
  const { slices, changes: planned } = plan()
  const going = slices.map((one) =>
    one.metadata?.name === 'a'
      ? { ...one, metadata: { ...one.metadata, deletionTimestamp: new Date(NOW) as never } }
      : one,
  )
  const more = [...going, slice('c', { addresses: addresses(9, 20) })]
  const hold = holdOf(
    { service: service(), slices: more, changes: { ...planned, delete: more } },
    SETTINGS,
    NOW,
  )
  expect(hold.kind === 'held' && hold.changes.update.map(({ metadata }) => metadata?.name)).toEqual(['b'])
})

describe('what costs nothing', () => {
  /** Slices whose endpoints nobody may count. */
  const uncounted = plan().slices.map((one) => ({
    ...one,
    get endpoints(): never {
      throw new Error('it was counted')
    },
  }))

  it('is a plan without a limit', () => {
    const unlimited = { ...SETTINGS, maximumRemoval: 1 }
    const hold = holdOf(
      { service: service(), slices: uncounted, changes: changes({ delete: uncounted }) },
      unlimited,
      NOW,
    )
    expect(hold).toEqual({ kind: 'none' })
  })

  it('is a plan that changes nothing', () => {
    const hold = holdOf({ service: service(), slices: uncounted, changes: changes() }, SETTINGS, NOW)
    expect(hold).toEqual({ kind: 'none' })
  })
})

it('nothing is released by a Service that says nothing, and no hold is noted where there is no slice', () => {
  for (const one of [{}, { metadata: { name: 'web' } }])
    expect(holdNote(one, [], NOW)).toEqual({ since: ago(0), changes: changes() })
})

describe('what is said of a plan that takes too much away', () => {
  const check = (release: string | undefined, heldPlanExpiry: number, since = 60) => {
    const { slices, changes: some } = plan(ago(since))
    const stats = {
      endpointsDesired: 2,
      endpointsAdded: 0,
      endpointsRemoved: 8,
      slicesActual: 2,
      slicesDesired: 1,
    }
    const planned = { ...some, stats, events: [], skipped: [] }
    const of = service(release === undefined ? {} : { [ANNOTATION_RELEASE]: release })
    const limits = { ...SETTINGS, heldPlanExpiry, maximumEndpoints: 0 }
    return HELD_GUARD.check?.({ service: of, slices, planned, losses: undefined, now: NOW }, limits)
  }

  it.each([
    [600, ', or after 600 s'],
    [0, ''],
  ])('with an expiry of %i s: how much, since when, and until when', (expiry, until) => {
    expect(check(undefined, expiry)).toMatchObject({
      instead: changes(),
      log: { fields: { ready: 10, lost: 8, since: ago(60) } },
      hold: { state: 'held', since: ago(60) },
      events: [
        {
          ...{ type: 'Warning', reason: 'PlanHeld' },
          message: expect.stringContaining(
            `held since ${ago(60)} until \`sliceflow release\`${until}; the slices`,
          ),
        },
      ],
    })
  })

  it.each([
    ['released', ago(60), 60, 'it was released'],
    ['expired', undefined, 600, 'it was held for as long as heldPlanExpiry says'],
  ])('once its hold is %s: that it is written, and why', (state, release, since, why) => {
    expect(check(release, 600, since)).toEqual({
      count: 0,
      hold: { state },
      events: [
        {
          ...{ type: 'Normal', reason: 'PlanReleased' },
          message: `applied the plan that removes more ready endpoints than maximumRemoval allows: ${why}`,
        },
      ],
    })
  })
})
