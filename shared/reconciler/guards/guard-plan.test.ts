import { describe, expect, it } from 'vitest'
import { ANNOTATION_RELEASE, editBetween } from '../../changes/index.ts'
import type { EndpointSlice, SlicePlan } from '../../endpointslice/index.ts'
import type { Changes } from '../slice-changes.ts'
import type { GuardInput, GuardSettings } from './guard.ts'
import { guardPlan, summarize } from './guard-plan.ts'
import { ANNOTATION_PUBLISHED, withRecord } from './published/published-annotation.ts'
import {
  ANNOTATION_HELD_SINCE,
  ANNOTATION_REPAIRS,
  ANNOTATION_UNVERIFIED_SINCE,
  annotationOf,
  withAnnotation,
} from './published/slice-annotations.ts'
import { addresses, ago, changes, NOW, service, slice } from './slices.fixtures.ts'

const OFF: GuardSettings = {
  maximumRemoval: 1,
  maximumRemovalCount: 2,
  heldPlanExpiry: 600,
  maximumEndpoints: 0,
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
      findings: [],
      fights: [],
    })
  })

  it('write nothing of a Service with more endpoints than the limit, whatever else is said of it', () => {
    const slices = [slice('a', { addresses: addresses(2) })]
    const large = (endpointsDesired: number): SlicePlan => {
      const plan = planned({ create: [slice('c')], delete: slices })
      return { ...plan, stats: { ...plan.stats, endpointsDesired } }
    }
    const limits = { maximumEndpoints: 5, maximumRemoval: 0, maximumRemovalCount: 0 }
    expect(guard({ slices, planned: large(6) }, limits)).toMatchObject({
      changes: { create: [], update: [], delete: [] },
      findings: [{ guard: 'oversized' }],
      fights: [],
    })
    expect(guard({ slices, planned: large(5) }, limits).findings).toMatchObject([{ guard: 'held' }])
  })

  it('hold a plan before anything else', () => {
    const slices = [slice('a', { addresses: addresses(9) })]
    const plan = planned({ create: [slice('c')], delete: slices })
    const guarded = guard({ slices, planned: plan }, { maximumRemoval: 0.5 })
    expect(summarize(guarded)).toEqual({ acted: { held: 1 }, isBlocked: true })
    const { changes: written } = guarded
    expect([written.create, written.update.length, written.delete]).toEqual([[], 1, []])
  })

  it('leave a slice alone that is fought over, and write the rest', () => {
    const edited = { ...slice('a'), endpoints: [{ addresses: ['6.6.6.6'] }] }
    const repairs = `5 ${ago(1)} ${editBetween(edited, slice('a'))}:5`
    const fought = withAnnotation(edited, ANNOTATION_REPAIRS, repairs)
    const plan = planned({ create: [slice('b')], update: [slice('a')] })
    const { changes: written, fights } = guard({ slices: [fought], planned: plan })
    expect(written).toMatchObject({ create: [{ metadata: { name: 'b' } }], update: [] })
    expect(fights).toMatchObject([{ slices: ['a'] }])
  })
})

describe('while a plan is held', () => {
  const strict = { maximumRemoval: 0.5 }
  const ours = withRecord(slice('b', { addresses: addresses(8) }))
  const edited = { ...ours, endpoints: [...(ours.endpoints ?? []), { addresses: ['6.6.6.6'] }] }
  const emptied = planned({ update: [slice('b'), slice('a')] })
  const published = (written: Changes): unknown =>
    written.update.map(({ metadata, endpoints }) => [metadata?.name, endpoints?.length])

  it('what others write into a slice is taken out, and nothing of ours', () => {
    const { findings, changes: written } = guard({ slices: [slice('a'), edited], planned: emptied }, strict)
    expect(findings).toMatchObject([{ guard: 'held', log: { fields: { ready: 8, lost: 8 } } }])
    expect(published(written)).toEqual([
      ['b', 8],
      ['a', 0],
    ])
    expect(annotations(written)[1]).toHaveProperty([ANNOTATION_HELD_SINCE])
  })

  it('that is no fight that goes on for ever', () => {
    const repair = (found: EndpointSlice) => guard({ slices: [slice('a'), found], planned: emptied }, strict)
    let found: EndpointSlice = edited
    for (let repairs = 0; repairs < 5; repairs++) {
      const mended = repair(found).changes.update.find(({ metadata }) => metadata?.name === 'b')
      found = { ...edited, metadata: mended?.metadata ?? {} }
    }
    const { fights, changes: written } = repair(found)
    expect(fights).toMatchObject([{ slices: ['b'] }])
    expect(published(written)).toEqual([['a', 0]])
  })

  it('or may be, slices record what is ours', () => {
    const create = [slice('a', { addresses: addresses(2) })]
    const record = (settings: object): string | undefined => {
      const [made] = guard({ planned: planned({ create }) }, settings).changes.create
      return made && annotationOf(made, ANNOTATION_PUBLISHED)
    }
    expect(record({})).toBeUndefined()
    expect(record(strict)).toHaveLength(8)
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
    const first = guard({ service: released, slices, planned: planned({ delete: slices }) }, strict)
    expect(summarize(first)).toEqual({ acted: {}, isBlocked: false, isReleased: true })
    expect(first.changes.delete.map(({ metadata }) => metadata?.name)).toEqual(['b', 'a'])
    const left = slices.slice(0, 1)
    const second = guard({ service: released, slices: left, planned: planned({ delete: left }) }, strict)
    expect(second).toMatchObject({ findings: [{ hold: { state: 'released' } }], changes: { delete: left } })
  })

  it('of a hold stays on a slice that a released plan changes', () => {
    const slices = [slice('a', { addresses: addresses(9), annotations: held })]
    const update = [slice('a', { addresses: addresses(1), annotations: held })]
    const released = service({ [ANNOTATION_RELEASE]: ago(60) })
    const { changes: written } = guard({ service: released, slices, planned: planned({ update }) }, strict)
    expect(annotations(written)).toMatchObject([held])
  })
})
