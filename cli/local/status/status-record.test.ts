import { expect, it } from 'vitest'
import { ConnectionError, ForbiddenError } from '../../../shared/kubernetes/index.ts'
import { SliceFightError } from '../../../shared/reconciler/index.ts'
import { createStatusRecord } from '../index.ts'

const key = (service: string, cluster = 'a') => ({ cluster, namespace: 'shop', service })
const written = (service: string) => ({ key: key(service), created: 1, updated: 0, deleted: 0, attempts: 2 })

function setUp() {
  let now = Date.parse('2026-03-01T12:00:00Z')
  const { observer, document } = createStatusRecord(['a', 'b'], () => now)
  return {
    observer,
    after: (seconds: number): void => {
      now += seconds * 1000
    },
    status: (name = 'a') => document().clusters.find((cluster) => cluster.name === name),
    document,
  }
}

it('a status that nothing has happened in yet names the clusters only', () => {
  expect(setUp().document()).toEqual({
    version: 1,
    startedAt: '2026-03-01T12:00:00.000Z',
    clusters: [
      { name: 'a', failures: 0, waiting: 0, writes: 0 },
      { name: 'b', failures: 0, waiting: 0, writes: 0 },
    ],
  })
})

it('reports when things happened last, each cluster on its own', () => {
  const { observer, after, status } = setUp()
  observer.onSynced?.('a')
  observer.onSweep?.('a', 7)
  observer.onAudit?.('a', 9)
  after(1)
  observer.onEvent?.([key('web')])
  after(1)
  observer.onCompared?.({ key: key('web'), result: 'same', differences: new Map() })
  observer.onFailed?.(key('web'), new Error('down'))
  expect(status()).toEqual({
    name: 'a',
    syncedAt: '2026-03-01T12:00:00.000Z',
    lastSweep: { at: '2026-03-01T12:00:00.000Z', keys: 7 },
    lastAudit: { at: '2026-03-01T12:00:00.000Z', keys: 9 },
    lastChangeAt: '2026-03-01T12:00:01.000Z',
    lastSyncAt: '2026-03-01T12:00:02.000Z',
    failures: 1,
    failureClasses: { Unexpected: 1 },
    waiting: 0,
    writes: 0,
    shadow: { same: 1, different: 0, invalid: 0 },
    lastFailure: { at: '2026-03-01T12:00:02.000Z', class: 'Unexpected', message: 'down' },
  })
  expect(status('b')).toEqual({ name: 'b', failures: 0, waiting: 0, writes: 0 })
})

it('counts no lag from a change that the slices showed before any key was sent', () => {
  const { observer, after, status } = setUp()
  observer.onEvent?.([key('web')])
  observer.onSettled?.(key('web'))
  after(3600)
  observer.onEvent?.([key('web')])
  after(1)
  observer.onReconciled?.(written('web'))
  expect(status()?.lag).toEqual({ samples: 1, p50: 1, p99: 1, maximum: 1 })
})

it('takes the time from the first change of a key to the write that answers it for the lag', () => {
  const { observer, after, status } = setUp()
  for (let seconds = 1; seconds <= 100; seconds++) {
    observer.onEvent?.([key('web')])
    after(seconds / 2)
    observer.onEvent?.([key('web')])
    after(seconds / 2)
    observer.onReconciled?.(written('web'))
  }
  observer.onReconciled?.(written('web'))
  expect(status()?.lag).toEqual({ samples: 100, p50: 50, p99: 99, maximum: 100 })
})

it('keeps the lags of the last thousand changes only', () => {
  const { observer, after, status } = setUp()
  observer.onEvent?.([key('slow')])
  after(500)
  observer.onReconciled?.(written('slow'))
  for (let count = 0; count < 1000; count++) {
    observer.onEvent?.([key('web')])
    after(1)
    observer.onReconciled?.(written('web'))
  }
  expect(status()?.lag).toEqual({ samples: 1000, p50: 1, p99: 1, maximum: 1 })
})

it('ignores a cluster that it does not know', () => {
  const { observer, document } = setUp()
  observer.onSynced?.('other')
  observer.onEvent?.([key('web', 'other')])
  observer.onFailed?.(key('web', 'other'), new Error('down'))
  expect(document().clusters).toHaveLength(2)
})

it('counts changes that wait for their sync, writes, and failures by class with the last one', () => {
  const { observer, status, document } = setUp()
  observer.onEvent?.([key('web'), key('cart'), key('web')])
  observer.onReconciled?.({ ...written('web'), updated: 2 } as never)
  observer.onFailed?.(key('cart'), new ForbiddenError('cannot list pods', 403, {}))
  observer.onFailed?.(key('cart'), new ConnectionError('failed to list pods', 'ECONNREFUSED'))
  observer.onFailed?.(key('cart'), new ForbiddenError('cannot list nodes', 403, {}))
  expect(status()).toMatchObject({
    waiting: 1,
    writes: 3,
    failures: 3,
    failureClasses: { Forbidden: 2, Unreachable: 1 },
    lastFailure: { class: 'Forbidden', message: 'cannot list nodes' },
  })
  expect(document()).not.toHaveProperty('lanes')
})

it('reports the lanes once their queues are open', () => {
  const { opened, document } = createStatusRecord([])
  opened({ live: { url: 'http://q/live', deadLetterUrl: 'http://q/dead' }, sweep: { url: 'http://q/sweep' } })
  expect(document().lanes).toEqual([
    { lane: 'live', queue: 'http://q/live', deadLetters: 'http://q/dead' },
    { lane: 'sweep', queue: 'http://q/sweep' },
  ])
})

it('sums up what there is of each cluster set, and how late changes reached all of its clusters', () => {
  const { observer, after, document } = setUp()
  const ofSet = (service: string, set = 'prod') => ({ ...key(service, `clusterset:${set}`) })
  const fleet = { exports: 2, imports: 3, isInConflict: true, blocked: 0, leftOut: 0 }
  const outcome = { created: 1, updated: 0, deleted: 0, attempts: 1, fleet }
  after(5)
  observer.onReconciled?.({ ...outcome, key: { ...ofSet('web'), triggerTime: '2026-03-01T12:00:01Z' } })
  observer.onReconciled?.({ ...outcome, key: ofSet('api'), fleet: { ...fleet, blocked: 1 } })
  observer.onReconciled?.({ ...outcome, key: ofSet('old') })
  const gone = { exports: 0, imports: 0, isInConflict: false, blocked: 0, leftOut: 0 }
  observer.onReconciled?.({ ...outcome, key: ofSet('old'), fleet: gone })
  observer.onReconciled?.({ ...outcome, key: ofSet('old'), fleet: { ...gone, blocked: 1 } })
  observer.onReconciled?.({ ...outcome, key: ofSet('old'), fleet: gone })
  observer.onReconciled?.(written('web'))
  expect(document().clusterSets).toEqual([
    {
      ...{ name: 'prod', services: 2, exports: 4, imports: 6, conflicts: 2, blocked: 1, leftOut: 0 },
      failures: 0,
      problems: { unwritten: { total: 1, services: ['shop/api'] } },
      lag: { samples: 1, p50: 4, p99: 4, maximum: 4 },
    },
  ])
})

it('counts the failures of a cluster set on its own, also of one of which nothing could be reconciled', () => {
  const { observer, after, document, status } = setUp()
  const ofSet = (set: string) => key('web', `clusterset:${set}`)
  observer.onFailed?.(ofSet('prod'), new ConnectionError('no answer', 'ETIMEDOUT'))
  after(1)
  observer.onFailed?.(ofSet('prod'), new Error('cluster "us" is in two sets'))
  observer.onFailed?.(key('web'), new Error('of one cluster'))
  const none = { services: 0, exports: 0, imports: 0, conflicts: 0, blocked: 0, leftOut: 0 }
  expect(document().clusterSets).toEqual([
    {
      ...{ name: 'prod', ...none, failures: 2, failureClasses: { Timeout: 1, Unexpected: 1 } },
      lastFailure: {
        ...{ at: '2026-03-01T12:00:01.000Z', class: 'Unexpected' },
        message: 'cluster "us" is in two sets',
      },
    },
  ])
  expect(status()?.failures).toBe(1)
})

it('names Services of which something waits for a person, each cluster and cluster set on its own', () => {
  const { observer, status, document } = setUp()
  const guarded = { acted: { held: 1 }, isBlocked: true }
  observer.onReconciled?.({ ...written('web'), guarded })
  observer.onFailed?.(key('cart'), new Error('no answer'))
  observer.onFailed?.(key('api'), new SliceFightError('shop/api', []))
  // It says nothing of who else writes the slices.
  observer.onFailed?.(key('api'), new Error('no answer'))
  observer.onFailed?.(key('db', 'clusterset:prod'), new SliceFightError('shop/db', []))
  expect(status()).toMatchObject({
    problems: { held: { total: 1, services: ['shop/web'] }, fights: { total: 1, services: ['shop/api'] } },
  })
  expect(document().clusterSets).toMatchObject([
    { name: 'prod', problems: { fights: { total: 1, services: ['shop/db'] } } },
  ])
  expect(status('b')).toEqual({ name: 'b', failures: 0, waiting: 0, writes: 0 })
  observer.onReconciled?.(written('web'))
  observer.onReconciled?.(written('api'))
  expect(status()).not.toHaveProperty('problems')
})

it('names ten of many Services of which something waits for a person, and counts all', () => {
  const { observer, status } = setUp()
  const guarded = { acted: { held: 1 }, isBlocked: true }
  for (let index = 0; index < 1_000; index++) observer.onReconciled?.({ ...written(`web-${index}`), guarded })
  const services = Array.from({ length: 10 }, (_, index) => `shop/web-${index}`)
  expect(status()?.problems).toEqual({ held: { total: 1_000, services } })
})

it('names controllers that write slices that we manage, for ten minutes, ten at most', () => {
  const { observer, after, status } = setUp()
  const found = (manager: string, service: string, isMirror = false): void =>
    observer.onReconciled?.({
      ...written(service),
      guarded: {
        ...{ acted: {}, isBlocked: false },
        secondController: { manager, slice: 'x', isMirror, writtenAt: Date.parse('2026-03-01T12:00:00Z') },
      },
    })
  found('kube-controller-manager', 'web')
  found('kube-controller-manager', 'db', true)
  observer.onReconciled?.(written('web'))
  expect(status()?.secondControllers).toEqual([
    {
      manager: 'kube-controller-manager',
      service: 'shop/db',
      isMirror: true,
      at: '2026-03-01T12:00:00.000Z',
    },
  ])
  expect(status('b')).not.toHaveProperty('secondControllers')
  for (let count = 1; count <= 10; count++) found(`manager-${count}`, 'web')
  expect(
    status()
      ?.secondControllers?.map(({ manager }) => manager)
      .at(0),
  ).toBe('manager-1')
  expect(status()?.secondControllers).toHaveLength(10)
  after(599)
  expect(status()?.secondControllers).toHaveLength(10)
  after(1)
  expect(status()).not.toHaveProperty('secondControllers')
})
