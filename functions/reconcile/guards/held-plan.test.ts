import { describe, expect, it } from 'vitest'
import { ANNOTATION_RELEASE, isSealed } from '../../../shared/changes/index.ts'
import { holdOf } from './held-plan.ts'
import { ANNOTATION_HELD_SINCE, annotationOf } from './slice-annotations.ts'
import { addresses, ago, changes, NOW, service, slice } from './slices.fixtures.ts'

const SETTINGS = { maximumRemoval: 0.5, maximumRemovalCount: 2, heldPlanExpiry: 600 }

/** Ten endpoints of which the plan leaves two. */
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

  it('writes nothing more while it is held', () => {
    expect(holdOf({ service: service(), ...plan(ago(60)) }, SETTINGS, NOW)).toEqual({
      kind: 'held',
      removal: { ready: 10, lost: 8 },
      since: ago(60),
      changes: changes(),
    })
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

  it('never expires with an expiry of 0', () => {
    const forever = { ...SETTINGS, heldPlanExpiry: 0 }
    expect(holdOf({ service: service(), ...plan(ago(9e6)) }, forever, NOW).kind).toBe('held')
  })

  it('is held anew where the note is no time', () => {
    expect(holdOf({ service: service(), ...plan('soon') }, SETTINGS, NOW)).toMatchObject({ since: ago(0) })
  })

  it('is not held without a limit', () => {
    const hold = holdOf({ service: service(), ...plan() }, { ...SETTINGS, maximumRemoval: 1 }, NOW)
    expect(hold).toEqual({ kind: 'none' })
  })
})

describe('a plan that takes little away', () => {
  it('is not held, also while a note tells of an earlier one', () => {
    const { slices } = plan(ago(60))
    const small = changes({ delete: slices.slice(0, 1) })
    expect(holdOf({ service: service(), slices, changes: small }, SETTINGS, NOW)).toEqual({ kind: 'none' })
  })
})
