import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { SlicePlan } from '../../endpointslice/index.ts'
import { EVENTS } from '../../kubernetes/index.ts'
import type { GuardedPlan, GuardFinding } from '../guards/guard-plan.ts'
import { createGuards } from '../guards/guards.ts'
import { createMemoryCluster, KEY, type MemoryCluster, webService } from '../memory-cluster.fixtures.ts'
import { Reporter } from './reporter.ts'

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
const guarded: GuardedPlan = { changes: { create: [], update: [], delete: [] }, findings: [], fights: [] }
const since = '2026-01-01T12:00:00.000Z'
const event = (reason: string) => ({ type: 'Warning', reason, message: `it is ${reason}` }) as const
/** A plan of which a guard says so. */
const found = (...findings: readonly GuardFinding[]): GuardedPlan => ({ ...guarded, findings })
const NOW = Date.parse(since)

let cluster: MemoryCluster
const newLogger = () => ({ debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() })
let logger: ReturnType<typeof newLogger>
let reporter: Reporter
beforeEach(() => {
  cluster = createMemoryCluster()
  logger = newLogger()
  reporter = new Reporter({
    client: cluster.client,
    key: KEY,
    guards: createGuards({ refusedAddresses: 'none' }, () => NOW),
    settings: { mode: 'custom' },
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

describe('what is reported of a plan', () => {
  it('that may be written: its own Events, and nothing of the guards', async () => {
    expect(await reporter.guarded(webService(), planned, guarded)).toEqual({ acted: {}, isBlocked: false })
    expect(reasons()).toEqual(['TopologyAwareHintsEnabled'])
  })

  it('that is blocked: why, at each sync in the log and once by an Event, and nothing of what it would do', async () => {
    const blocked = { guard: 'held', events: [event('PlanHeld')], instead: guarded.changes }
    const fieldsOf = { log: { fields: { lost: 8 } } }
    for (let sync = 0; sync < 3; sync++)
      expect(await reporter.guarded(webService(), planned, found({ ...blocked, ...fieldsOf }))).toEqual({
        acted: { held: 1 },
        isBlocked: true,
      })
    await reporter.guarded(webService(), planned, found(blocked))
    expect(reasons()).toEqual(['PlanHeld'])
    expect(logger.warn.mock.calls).toEqual([
      [{ ...fields, lost: 8 }, 'holding a plan'],
      [{ ...fields, reason: 'PlanHeld' }, 'it is PlanHeld'],
      [{ ...fields, lost: 8 }, 'holding a plan'],
      [{ ...fields, lost: 8 }, 'holding a plan'],
      [fields, 'holding a plan'],
    ])
  })

  it('that was released: why, and its own Events', async () => {
    const hold = { state: 'released' as const }
    const released = found({ guard: 'held', count: 0, events: [event('PlanReleased')], hold })
    expect(await reporter.guarded(webService(), planned, released)).toEqual({
      ...{ acted: {}, isBlocked: false, isReleased: true },
    })
    expect(reasons()).toEqual(['PlanReleased', 'TopologyAwareHintsEnabled'])
    expect(lines()).not.toContain('holding a plan')
  })

  it('with what is logged once in a while: a line for each, instead of the Event', async () => {
    const other = (manager: string) => ({
      guard: 'secondController',
      events: [event(manager)],
      log: { fields: { manager }, message: 'another one', oncePer: manager },
    })
    for (const manager of ['k3s', 'k3s', 'argocd'])
      await reporter.guarded(webService(), planned, found(other(manager)))
    expect(logger.warn.mock.calls.filter(([, message]) => message !== 'enabled')).toEqual([
      [{ ...fields, manager: 'k3s' }, 'another one'],
      [{ ...fields, manager: 'argocd' }, 'another one'],
    ])
    expect(reasons()).toEqual(['TopologyAwareHintsEnabled', 'argocd', 'k3s'])
  })
})

it('objects that were left out are reported in one line, and none where there are none', () => {
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

it('slices of the other mode are reported as held', async () => {
  expect(await reporter.handoverHeld(webService(), { since, slices: [] })).toEqual({
    ...{ acted: { held: 1 }, isBlocked: true },
  })
  expect(logger.warn).toHaveBeenCalledWith({ ...fields, since }, 'holding a plan')
  expect(reasons()).toEqual(['PlanHeld'])
})

it('an Event that is refused is reported in the log, and fails nothing', async () => {
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
