import { describe, expect, it } from 'vitest'
import { seal } from '../../changes/index.ts'
import type { EndpointSlice } from '../../endpointslice/index.ts'
import { guardPlan } from './guard-plan.ts'
import {
  SECOND_CONTROLLER_MS,
  secondControllerAmong,
  type WritersOptions,
  writersOf,
} from './second-controller.ts'
import { addresses, ago, changes, NOW, service, slice } from './slices.fixtures.ts'

const KCM = 'kube-controller-manager'
const OURS = slice('a', { addresses: addresses(2) })
/** What a controller published when a Pod became unready. */
const NEWER = { endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: false } }] }

/** Returns a slice as its last writers left it, each with the seconds since. */
function written(
  by: Readonly<Record<string, number>>,
  { base = OURS, ...content }: Partial<EndpointSlice> & { readonly base?: EndpointSlice } = NEWER,
): EndpointSlice {
  const managedFields = Object.entries(by).map(([manager, seconds]) => ({ manager, time: ago(seconds) }))
  return { ...base, ...content, metadata: { ...base.metadata, managedFields } }
}

const find = (slices: readonly EndpointSlice[], options: Partial<WritersOptions> = {}) =>
  secondControllerAmong(slices.map((each) => writersOf(each, { now: NOW, ...options })))?.manager

describe('a second controller', () => {
  it('is who wrote a slice after us, with what it wrote and when', () => {
    const found = written({ sliceflow: 60, [KCM]: 4 })
    expect(secondControllerAmong([writersOf(found, { now: NOW })])).toEqual({
      manager: KCM,
      slice: 'a',
      isMirror: false,
      writtenAt: NOW - 4_000,
    })
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Endpoints', name: 'web', uid: 'u' }]
    const labels = { 'kubernetes.io/service-name': 'web' }
    const mirror = { ...found, metadata: { ...found.metadata, labels, ownerReferences } }
    expect(secondControllerAmong([writersOf(mirror, { now: NOW })])).toMatchObject({ isMirror: true })
  })

  it('is who wrote a slice that we never did, while we are at work', () => {
    const theirs = written({ [KCM]: 4 }, { base: { ...OURS, metadata: { name: 'b' } } })
    expect(find([theirs], { since: NOW - 5_000 })).toBe(KCM)
    expect(find([theirs], { since: NOW - 4_000 })).toBeUndefined()
  })

  it('is none that wrote before our last write of any slice of the Service, or in the same second', () => {
    const other = written({ sliceflow: 3 }, { base: slice('b') })
    const theirs = written({ sliceflow: 60, [KCM]: 4 })
    expect(find([theirs, other])).toBeUndefined()
    expect(find([written({ sliceflow: 4, [KCM]: 4 })])).toBeUndefined()
    expect(find([theirs, written({ sliceflow: 5 }, { base: slice('b') })])).toBe(KCM)
  })

  it('is none that wrote before the process began, though later than we did in an earlier one', () => {
    const theirs = written({ sliceflow: 500, [KCM]: 60 })
    expect(find([theirs], { since: NOW - 60_000 })).toBeUndefined()
    expect(find([theirs], { since: NOW - 61_000 })).toBe(KCM)
  })

  it('is none that has written nothing for ten minutes, or at a time that is in the future or missing', () => {
    const seconds = SECOND_CONTROLLER_MS / 1000
    expect(find([written({ [KCM]: seconds - 1 })])).toBe(KCM)
    expect(find([written({ [KCM]: seconds })])).toBeUndefined()
    expect(find([written({ [KCM]: -seconds })])).toBeUndefined()
    const metadata = { ...OURS.metadata, managedFields: [{ manager: KCM }] }
    expect(find([{ ...OURS, metadata }])).toBeUndefined()
  })

  it('is the one that wrote last, of several', () => {
    const theirs = written({ [KCM]: 9 })
    const others = written({ 'mesh-operator': 4 }, { ...NEWER, base: slice('b') })
    expect(find([theirs, others])).toBe('mesh-operator')
    expect(find([others, theirs])).toBe('mesh-operator')
  })

  it('is nobody of a slice that is being deleted', () => {
    const gone = written({ [KCM]: 4 })
    expect(find([{ ...gone, metadata: { ...gone.metadata, deletionTimestamp: ago(1) } }])).toBeUndefined()
  })

  it('is no person, whatever he writes', () => {
    for (const manager of ['kubectl-edit', 'kubectl-annotate', 'kubectl', 'kubectl-client-side-apply'])
      expect(find([written({ sliceflow: 60, [manager]: 4 })])).toBeUndefined()
    expect(find([written({ sliceflow: 60, [KCM]: 9, 'kubectl-edit': 4 })])).toBe(KCM)
  })

  it('is nobody who changes what the seal does not cover, but for kube-controller-manager', () => {
    expect(find([written({ sliceflow: 60, velero: 4 }, {})])).toBeUndefined()
    expect(find([written({ sliceflow: 60, [KCM]: 4 }, {})])).toBe(KCM)
  })

  it('is nobody whose edit is put back, but for kube-controller-manager', () => {
    const edited = (manager: string) => written({ sliceflow: 60, [manager]: 4 })
    const planned = changes({ update: [OURS] })
    expect(find([edited('k9s')], { planned })).toBeUndefined()
    expect(find([edited('k9s')], { planned: changes({ create: [OURS] }) })).toBeUndefined()
    expect(find([edited('k9s')], { planned: changes({ update: [seal({ ...OURS, endpoints: [] })] }) })).toBe(
      'k9s',
    )
    expect(find([edited(KCM)], { planned })).toBe(KCM)
  })
})

describe('the guards', () => {
  const stats = {
    endpointsDesired: 9,
    endpointsAdded: 0,
    endpointsRemoved: 0,
    slicesActual: 0,
    slicesDesired: 0,
  }
  const planned = { ...changes(), events: [], skipped: [], stats }
  const limits = { maximumRemoval: 1, maximumRemovalCount: 2, heldPlanExpiry: 600 }
  const guard = (startedAt: number, maximumEndpoints: number) =>
    guardPlan(
      {
        service: service(),
        slices: [written({ [KCM]: 4 })],
        planned,
        losses: undefined,
        startedAt,
        now: NOW,
      },
      { ...limits, maximumEndpoints },
    )

  it('name a second controller, also where nothing may be written, and keep nothing back for it', () => {
    const found = {
      ...{ guard: 'secondController', secondController: { manager: KCM } },
      log: { fields: { manager: KCM, slice: 'a', secondsAgo: 4 }, oncePer: KCM },
    }
    expect(guard(NOW - 60_000, 0).findings).toMatchObject([found])
    expect(guard(NOW - 60_000, 1).findings).toMatchObject([found, { guard: 'oversized' }])
    expect(guard(NOW, 0).findings).toEqual([])
  })
})
