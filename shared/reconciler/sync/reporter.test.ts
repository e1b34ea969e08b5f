import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { SlicePlan } from '../../endpointslice/index.ts'
import { EVENTS } from '../../kubernetes/index.ts'
import { createGuards, type GuardedPlan } from '../guards/index.ts'
import { createMemoryCluster, KEY, type MemoryCluster, webService } from '../memory-cluster.fixtures.ts'
import { createReporter, type Reporter } from './reporter.ts'

const HINTS = { type: 'Normal', reason: 'TopologyAwareHintsEnabled', message: 'enabled' } as const
const REFUSED = {
  kind: 'Pod',
  namespace: 'shop',
  name: 'web-1',
  reason: 'RefusedAddress',
  message: 'its address 127.0.0.1 is a loopback address',
} as const
const planned: SlicePlan = {
  create: [],
  update: [],
  delete: [],
  events: [HINTS],
  skipped: [],
  stats: { endpointsDesired: 0, endpointsAdded: 0, endpointsRemoved: 0, slicesActual: 0, slicesDesired: 0 },
}
const guarded: GuardedPlan = {
  changes: { create: [], update: [], delete: [] },
  hold: { kind: 'none' },
  fights: [],
  postponed: 0,
}
const removal = { ready: 10, lost: 8 }
const since = '2026-01-01T12:00:00.000Z'
const held = { kind: 'held', removal, since, changes: guarded.changes } as const

const NOW = Date.parse('2026-01-01T12:00:00Z')

let cluster: MemoryCluster
const newLogger = () => ({ debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() })
let logger: ReturnType<typeof newLogger>
let reporter: Reporter
beforeEach(() => {
  cluster = createMemoryCluster()
  logger = newLogger()
  reporter = createReporter({
    client: cluster.client,
    key: KEY,
    guards: createGuards({ refusedAddresses: 'none' }, () => NOW),
    settings: { mode: 'custom', heldPlanExpiry: 3600, maximumEndpoints: 5 },
    logger,
    signal: new AbortController().signal,
  })
})
const reasons = (): (string | undefined)[] =>
  cluster
    .all(EVENTS)
    .map(({ reason }) => reason)
    .sort()
const lines = (): unknown[] => logger.warn.mock.calls.map(([, message]) => message)
const fields = { cluster: 'blue', namespace: 'shop', service: 'web' }

describe('what people are told of a plan', () => {
  it('that may be written: its own Events, and nothing of the guards', async () => {
    expect(await reporter.guarded(webService(), planned, guarded)).toEqual({
      isHeld: false,
      postponed: 0,
      refusedAddresses: 0,
    })
    expect(reasons()).toEqual(['TopologyAwareHintsEnabled'])
  })

  it('that is held: that it is, with how much it would take, and nothing of what it would do', async () => {
    const summary = await reporter.guarded(webService(), planned, { ...guarded, hold: held })
    expect(summary).toEqual({ isHeld: true, postponed: 0, refusedAddresses: 0 })
    expect(reasons()).toEqual(['PlanHeld'])
    expect(logger.warn).toHaveBeenCalledWith({ ...fields, ...removal, since }, 'holding a plan')
  })

  it('that is too large: that it is, at each look in the log and once by an Event', async () => {
    const hold = { kind: 'oversized', endpoints: 6 } as const
    for (let sync = 0; sync < 3; sync++)
      expect(await reporter.guarded(webService(), planned, { ...guarded, hold })).toEqual({
        isHeld: false,
        isOversized: true,
        postponed: 0,
        refusedAddresses: 0,
      })
    expect(reasons()).toEqual(['TooManyEndpoints'])
    expect(lines().filter((message) => message === 'holding a plan')).toHaveLength(3)
    expect(logger.warn).toHaveBeenCalledWith({ ...fields, endpoints: 6 }, 'holding a plan')
    const [{ reason = '', message = '' } = {}] = cluster.all(EVENTS)
    expect(logger.warn).toHaveBeenCalledWith({ ...fields, reason }, message)
    expect(lines().filter((line) => line === message)).toHaveLength(1)
  })

  it('that was released: why, and its own Events', async () => {
    const hold = { kind: 'released', removal, by: 'command' } as const
    const summary = await reporter.guarded(webService(), planned, { ...guarded, hold })
    expect(summary).toMatchObject({ isHeld: false, isReleased: true })
    expect(reasons()).toEqual(['PlanReleased', 'TopologyAwareHintsEnabled'])
    expect(lines()).not.toContain('holding a plan')
  })

  it('that goes on: how much follows', async () => {
    expect(await reporter.guarded(webService(), planned, { ...guarded, postponed: 3 })).toMatchObject({
      postponed: 3,
    })
    expect(logger.info.mock.calls).toEqual([
      [{ ...fields, postponed: 3 }, 'wrote part of the plan; the rest follows later'],
    ])
  })

  it('with a second controller: how long ago it wrote and what to do, once for each in the log, and an Event', async () => {
    const second = { manager: 'k3s', slice: 'web-x', isMirror: false, writtenAt: NOW - 4_000 }
    const found = { ...guarded, secondController: second }
    expect(await reporter.guarded(webService(), planned, found)).toMatchObject({ secondController: second })
    await reporter.guarded(webService(), planned, found)
    await reporter.guarded(webService(), planned, {
      ...found,
      secondController: { ...second, manager: 'argocd', writtenAt: NOW + 1_000 },
    })
    const advice = expect.stringMatching(/^another controller writes slices that Sliceflow manages: /)
    expect(logger.warn.mock.calls.filter(([, message]) => advice.asymmetricMatch(message))).toEqual([
      [{ ...fields, manager: 'k3s', slice: 'web-x', secondsAgo: 4 }, expect.stringContaining('k3s server')],
      [{ ...fields, manager: 'argocd', slice: 'web-x', secondsAgo: 0 }, expect.stringContaining('stop it')],
    ])
    expect(reasons()).toEqual(['SecondController', 'SecondController', 'TopologyAwareHintsEnabled'])
  })

  it('with refused addresses and fights: each, and how many addresses', async () => {
    const skipped = [REFUSED, { ...REFUSED, name: 'web-2' }, { ...REFUSED, name: 'odd', reason: 'Malformed' }]
    const fights = ['a', 'b'].map((slice) => ({
      slices: [slice],
      opponent: undefined,
      kind: 'edits' as const,
      quietMs: 1,
    }))
    const plan = { ...planned, skipped } as SlicePlan
    expect(await reporter.guarded(webService(), plan, { ...guarded, fights })).toMatchObject({
      refusedAddresses: 2,
    })
    expect(reasons()).toEqual(['RefusedAddress', 'SliceFight', 'SliceFight', 'TopologyAwareHintsEnabled'])
  })
})

it('objects that were left out are told of in one line, and none where there are none', () => {
  reporter.skipped([])
  expect(lines()).toEqual([])
  reporter.skipped([REFUSED, REFUSED])
  expect(logger.warn.mock.calls).toEqual([
    [
      { ...fields, objects: 2, such: 'Pod web-1: its address 127.0.0.1 is a loopback address' },
      'skipped objects',
    ],
  ])
})

it('slices of the other mode are told of as held', async () => {
  expect(await reporter.handoverHeld(webService(), { since, slices: [] })).toEqual({
    isHeld: true,
    postponed: 0,
    refusedAddresses: 0,
  })
  expect(logger.warn).toHaveBeenCalledWith({ ...fields, since }, 'holding a plan')
  expect(reasons()).toEqual(['PlanHeld'])
})

it('an Event that is refused is told of in the log, and fails nothing', async () => {
  cluster.before = () => {
    throw new Error('forbidden')
  }
  await reporter.event(webService(), HINTS)
  await reporter.event(webService(), HINTS)
  const refused = [
    { ...fields, reason: HINTS.reason, err: expect.objectContaining({ message: 'forbidden' }) },
    'cannot record an Event on the Service',
  ]
  expect(logger.warn.mock.calls).toEqual([refused, refused])
})
