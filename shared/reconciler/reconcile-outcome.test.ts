import { describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../endpointslice/index.ts'
import { KEY } from './memory-cluster.fixtures.ts'
import { addAttempt, hasWritten, type ReconcileOutcome } from './reconcile-outcome.ts'
import { NOTHING_WRITTEN } from './slice-changes.ts'
import type { SyncPlan, SyncResult } from './sync-result.ts'

const NONE: ReconcileOutcome = { key: KEY, created: 0, updated: 0, deleted: 0, attempts: 0 }
const slice: EndpointSlice = { metadata: { name: 'web-1' }, addressType: 'IPv4', endpoints: [] }
const guarded = { acted: {}, isBlocked: false }
const conflict = { operation: 'update', slice: 'shop/web-1', error: new Error('conflict') } as never

const planOf = (desired: number, added: number, removed: number, isPartOf = false): SyncPlan => ({
  stats: {
    endpointsDesired: desired,
    endpointsAdded: added,
    endpointsRemoved: removed,
    slicesActual: 1,
    slicesDesired: 1,
  },
  topology: 'Disabled',
  trafficDistribution: '',
  ...(isPartOf && { isPart: true as const }),
})

/** Counts the endpoints desired, added and removed over all of these attempts. */
function counted(...results: readonly Partial<SyncResult>[]): unknown[] {
  const all = results.map((result) => ({ ...NOTHING_WRITTEN, ...result }))
  const { planned, attempts } = all.reduce<ReconcileOutcome>(addAttempt, NONE)
  expect(attempts).toBe(results.length)
  const { endpointsDesired, endpointsAdded, endpointsRemoved } = planned?.stats ?? {}
  return [endpointsDesired, endpointsAdded, endpointsRemoved]
}

describe('what attempts at one key come to', () => {
  it('is what the last plan wants, with what all plans added and removed', () => {
    expect(counted({ planned: planOf(5, 3, 1) }, { planned: planOf(6, 2, 4) })).toEqual([6, 5, 5])
  })

  it('is by how much a part of a Service has grown in all, and of a whole one what it is', () => {
    expect(counted({ planned: planOf(2, 2, 0, true) }, { planned: planOf(-1, 0, 1, true) })).toEqual([
      1, 2, 1,
    ])
    expect(counted({ planned: planOf(2, 2, 0, true) }, { planned: planOf(7, 0, 1) })).toEqual([7, 2, 1])
    expect(counted({ planned: planOf(7, 2, 0) }, { planned: planOf(-1, 0, 1, true) })).toEqual([-1, 2, 1])
  })

  it('is nothing of a plan that met a conflict', () => {
    expect(counted({ planned: planOf(5, 3, 1), conflict })).toEqual([undefined, undefined, undefined])
    expect(counted({ planned: planOf(5, 3, 1) }, { planned: planOf(9, 9, 9), conflict })).toEqual([5, 3, 1])
  })

  it('is what they wrote, what the guards said last, and that the audit found something', () => {
    const results = [
      { ...NOTHING_WRITTEN, created: [slice], guarded, isFinding: true as const },
      { ...NOTHING_WRITTEN, updated: [slice, slice], deleted: [slice] },
    ]
    expect(results.reduce<ReconcileOutcome>(addAttempt, NONE)).toEqual({
      key: KEY,
      ...{ created: 1, updated: 2, deleted: 1, attempts: 2 },
      guarded,
      isFinding: true,
    })
  })
})

it('each kind of a write is one, also where as many slices go as come', () => {
  const written = [
    { created: [slice] },
    { updated: [slice] },
    { deleted: [slice] },
    { created: [slice], deleted: [slice] },
    { created: [slice], updated: [slice] },
    { updated: [slice], deleted: [slice] },
  ]
  for (const some of written) expect(hasWritten({ ...NOTHING_WRITTEN, ...some })).toBe(true)
  expect(hasWritten(NOTHING_WRITTEN)).toBe(false)
})

it('a second controller that one attempt has seen is reported, though a later one has written since', () => {
  const secondController = { manager: 'k3s', slice: 'web-1', isMirror: false, writtenAt: 0 }
  const attempts = [
    { ...guarded, acted: { secondController: 1 }, secondController },
    { ...guarded, isReleased: true as const },
  ]
  const outcome = attempts
    .map((each) => ({ ...NOTHING_WRITTEN, guarded: each }))
    .reduce<ReconcileOutcome>(addAttempt, NONE)
  expect(outcome.guarded).toEqual({
    ...guarded,
    acted: { secondController: 1 },
    isReleased: true,
    secondController,
  })
})
