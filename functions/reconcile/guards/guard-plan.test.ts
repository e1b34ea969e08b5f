import { describe, expect, it } from 'vitest'
import { ANNOTATION_RELEASE } from '../../../shared/changes/index.ts'
import type { SlicePlan } from '../../../shared/endpointslice/index.ts'
import type { Changes } from '../write-slices.ts'
import { type GuardInput, type GuardSettings, guardPlan } from './guard-plan.ts'
import {
  ANNOTATION_HELD_SINCE,
  ANNOTATION_REPAIRS,
  ANNOTATION_UNVERIFIED_SINCE,
} from './slice-annotations.ts'
import { addresses, ago, changes, NOW, service, slice } from './slices.fixtures.ts'

const OFF: GuardSettings = {
  maximumRemoval: 1,
  maximumRemovalCount: 2,
  heldPlanExpiry: 600,
  maximumWrites: 0,
}

const planned = (some: Partial<Changes>): SlicePlan => ({
  ...changes(some),
  events: [],
  skipped: [],
  stats: { endpointsDesired: 0, endpointsAdded: 0, endpointsRemoved: 0, slicesActual: 0, slicesDesired: 0 },
})

const guard = (input: Partial<GuardInput>, settings: Partial<GuardSettings> = {}) =>
  guardPlan(
    { service: service(), slices: [], planned: planned({}), losses: undefined, now: NOW, ...input },
    { ...OFF, ...settings },
  )

const annotations = (some: Changes): (Record<string, string> | undefined)[] =>
  some.update.map(({ metadata }) => metadata?.annotations)

describe('the guards', () => {
  it('leave a plan as it is by default', () => {
    const slices = [slice('a', { addresses: addresses(9) }), slice('b')]
    const plan = planned({ create: [slice('c')], update: [slice('b')], delete: slices.slice(0, 1) })
    const { create, update } = plan
    expect(guard({ slices, planned: plan })).toEqual({
      changes: { create, update, delete: plan.delete },
      hold: { kind: 'none' },
      fights: [],
      postponed: 0,
    })
  })

  it('hold a plan before anything else', () => {
    const slices = [slice('a', { addresses: addresses(9) })]
    const plan = planned({ create: [slice('c')], delete: slices })
    const { changes: written, hold } = guard(
      { slices, planned: plan },
      { maximumRemoval: 0.5, maximumWrites: 1 },
    )
    expect(hold.kind).toBe('held')
    expect([written.create, written.update.length, written.delete]).toEqual([[], 1, []])
  })

  it('write a large plan in part', () => {
    const plan = planned({ create: [slice('a'), slice('b'), slice('c')] })
    const { changes: written, postponed } = guard({ planned: plan }, { maximumWrites: 2 })
    expect([written.create.length, postponed]).toEqual([2, 1])
  })

  it('leave a slice alone that is fought over, and write the rest', () => {
    const fought = slice('a', { annotations: { [ANNOTATION_REPAIRS]: `5 ${ago(1)}` } })
    const edited = { ...fought, endpoints: [{ addresses: ['6.6.6.6'] }] }
    const plan = planned({ create: [slice('b')], update: [slice('a', { addresses: addresses(1) })] })
    const { changes: written, fights, postponed } = guard({ slices: [edited], planned: plan })
    expect(written).toMatchObject({ create: [{ metadata: { name: 'b' } }], update: [] })
    expect(fights).toMatchObject([{ slices: ['a'] }])
    expect(postponed).toBe(0)
  })
})

describe('a note on a slice', () => {
  const unverified = { [ANNOTATION_UNVERIFIED_SINCE]: ago(60) }
  const held = { [ANNOTATION_HELD_SINCE]: ago(60) }
  const strict = { maximumRemoval: 0.5 }

  it('is taken off once there is no reason for it, with or without another change', () => {
    const slices = [slice('a', { annotations: unverified }), slice('b', { annotations: held }), slice('c')]
    const update = [slice('b', { addresses: addresses(1), annotations: held })]
    const { changes: written } = guard({ slices, planned: planned({ update }) })
    expect(written.update.map(({ metadata }) => metadata?.name)).toEqual(['b', 'a'])
    for (const found of annotations(written)) {
      expect(found).not.toHaveProperty([ANNOTATION_UNVERIFIED_SINCE])
      expect(found).not.toHaveProperty([ANNOTATION_HELD_SINCE])
    }
  })

  it('of a hold stays while its plan is written, so that the rest of it is not held again', () => {
    const slices = [
      slice('a', { addresses: addresses(5), annotations: held }),
      slice('b', { addresses: addresses(5, 11) }),
    ]
    const released = service({ [ANNOTATION_RELEASE]: ago(60) })
    const first = guard(
      { service: released, slices, planned: planned({ delete: slices }) },
      { ...strict, maximumWrites: 1 },
    )
    expect(first.hold.kind).toBe('released')
    expect(first.changes.delete.map(({ metadata }) => metadata?.name)).toEqual(['b'])
    const left = slices.slice(0, 1)
    const second = guard({ service: released, slices: left, planned: planned({ delete: left }) }, strict)
    expect(second).toMatchObject({ hold: { kind: 'released' }, changes: { delete: left } })
  })

  it('of a hold stays on a slice that a released plan changes', () => {
    const slices = [slice('a', { addresses: addresses(9), annotations: held })]
    const update = [slice('a', { addresses: addresses(1), annotations: held })]
    const released = service({ [ANNOTATION_RELEASE]: ago(60) })
    const { changes: written } = guard({ service: released, slices, planned: planned({ update }) }, strict)
    expect(annotations(written)).toMatchObject([held])
  })

  it('counts as a write', () => {
    const slices = ['a', 'b', 'c'].map((name) => slice(name, { annotations: unverified }))
    const { changes: written, postponed } = guard({ slices }, { maximumWrites: 2 })
    expect([written.update.length, postponed]).toEqual([2, 1])
  })
})
