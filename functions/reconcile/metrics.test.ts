import type { SQSEvent } from 'aws-lambda'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { PersistentConflictError, SliceFightError } from '../../shared/reconciler/index.ts'
import { createEmfMetrics } from '../../shared/telemetry/index.ts'
import { createFunctionMetrics } from './metrics.ts'

const KEY = { cluster: 'a', namespace: 'shop', service: 'web' }
const UNCHANGED = { created: 0, updated: 0, deleted: 0, attempts: 1 }

it('counts what the audit synced, and what it found, 0 included', () => {
  const lines: string[] = []
  const metrics = createFunctionMetrics(createEmfMetrics({ write: (line) => lines.push(line) }))
  metrics.reconciled({ ...UNCHANGED, key: KEY })
  metrics.flush()
  expect(lines.join('')).not.toContain('Audit')
  lines.length = 0

  metrics.reconciled({ ...UNCHANGED, key: { ...KEY, audit: true } })
  metrics.flush()
  expect(JSON.parse(lines.join(''))).toMatchObject({ AuditSyncs: 1, AuditFindings: 0 })
  lines.length = 0

  metrics.reconciled({ ...UNCHANGED, updated: 1, key: { ...KEY, audit: true }, isFinding: true })
  metrics.flush()
  expect(JSON.parse(lines.join(''))).toMatchObject({ AuditSyncs: 1, AuditFindings: 1 })
})

it('counts what is wrong in cluster sets, and how late the slices of all clusters are', () => {
  vi.useFakeTimers({ now: Date.parse('2026-03-01T12:00:03Z') })
  const lines: string[] = []
  const metrics = createFunctionMetrics(createEmfMetrics({ write: (line) => lines.push(line) }))
  const key = { cluster: 'clusterset:prod', namespace: 'shop', service: 'web' }
  const fleet = { exports: 2, imports: 3, isInConflict: true, blocked: 1, leftOut: 7 }
  metrics.reconciled({ ...UNCHANGED, key, fleet })
  metrics.reconciled({
    ...{ ...UNCHANGED, updated: 1, fleet: { ...fleet, isInConflict: false, blocked: 0, leftOut: 0 } },
    key: { ...key, triggerTime: '2026-03-01T12:00:01Z' },
  })
  metrics.reconciled({ ...UNCHANGED, key: KEY })
  metrics.flush()
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    Keys: 3,
    FleetKeys: 2,
    FleetConflicts: 1,
    FleetBlockedImports: 1,
    FleetEndpointsLeftOut: 7,
    FleetEventToApplied: 2,
  })
})

afterEach(() => {
  vi.useRealTimers()
})

type Line = Readonly<Record<string, unknown>>

/** Sets up metrics without the cold start, and reads what each invocation writes of them. */
function setUp() {
  const lines: Line[] = []
  const metrics = createFunctionMetrics(createEmfMetrics({ write: (line) => lines.push(JSON.parse(line)) }))
  const written = (record: (metrics: ReturnType<typeof createFunctionMetrics>) => void): Line[] => {
    record(metrics)
    metrics.flush()
    return lines.splice(0).map(({ _aws, ...line }) => line)
  }
  return { written }
}

describe('the metrics of the function', () => {
  it('report a cold start with the first invocation, and not again', () => {
    const { written } = setUp()
    expect(written(() => {})).toEqual([{ ColdStarts: 1 }])
    expect(written(() => {})).toEqual([])
  })

  it('count the messages of a batch and those that went back, of their lane', () => {
    const { written } = setUp()
    written(() => {})
    const event = { Records: [{}, {}, {}] } as SQSEvent
    expect(
      written((metrics) => metrics.handled('sweep', event, { batchItemFailures: [{ itemIdentifier: '1' }] })),
    ).toEqual([{ Lane: 'sweep', Messages: 3, FailedMessages: 1 }])
  })

  it('count each key, what was synced and held of it, and what was written, 0 included', () => {
    const { written } = setUp()
    written(() => {})
    const still = { Keys: 1, FullSyncs: 0, HeldPlans: 0, OversizedServices: 0, SecondControllerSyncs: 0 }
    const unwritten = { SlicesCreated: 0, SlicesUpdated: 0, SlicesDeleted: 0 }
    expect(written((metrics) => metrics.reconciled({ ...UNCHANGED, key: KEY }))).toEqual([
      { ...still, ...unwritten },
    ])
    const guarded = { acted: { held: 1, secondController: 1 }, isBlocked: true }
    const changed = {
      ...UNCHANGED,
      created: 1,
      updated: 2,
      deleted: 3,
      guarded,
      fullSyncReason: 'NoHint',
    } as const
    expect(
      written((metrics) => {
        metrics.reconciled({ ...changed, key: KEY })
        metrics.reconciled({ ...changed, key: KEY })
      }),
    ).toEqual([
      {
        Keys: 2,
        FullSyncs: 2,
        HeldPlans: 2,
        OversizedServices: 0,
        SecondControllerSyncs: 2,
        SlicesCreated: 2,
        SlicesUpdated: 4,
        SlicesDeleted: 6,
      },
    ])
  })

  it('time a change from its event to what was written, where something was, never below 0', () => {
    vi.useFakeTimers({ now: Date.parse('2026-01-01T12:00:10Z') })
    const { written } = setUp()
    const latencyOf = (slices: Partial<typeof UNCHANGED>, triggerTime?: string): unknown => {
      const key = { ...KEY, ...(triggerTime !== undefined && { triggerTime }) }
      return written((metrics) => metrics.reconciled({ ...UNCHANGED, ...slices, key }))[0]?.EventToApplied
    }
    const latency = (count: number, triggerTime?: string): unknown =>
      latencyOf({ created: count, updated: count, deleted: 2 * count }, triggerTime)
    expect(latency(1, '2026-01-01T12:00:08Z')).toBe(2)
    expect(latency(1, '2026-01-01T12:00:11Z')).toBe(0)
    expect([latency(0, '2026-01-01T12:00:08Z'), latency(1)]).toEqual([undefined, undefined])
    for (const written of [{ created: 1 }, { updated: 1 }, { deleted: 1 }, { created: 1, updated: 1 }])
      expect(latencyOf(written, '2026-01-01T12:00:08Z')).toBe(2)
  })

  it('count a key that failed in all and of its cluster, and fights and conflicts besides', () => {
    const { written } = setUp()
    written(() => {})
    const failed = (error: unknown) => written((metrics) => metrics.failed('east', error))
    expect(failed(new Error('no'))).toEqual([{ FailedKeys: 1 }, { Cluster: 'east', FailedKeys: 1 }])
    const fight = { slices: ['a'], opponent: undefined, kind: 'edits', quietMs: 1 } as const
    expect(failed(new SliceFightError('shop/web', [fight]))).toEqual([
      { FailedKeys: 1, SliceFights: 1 },
      { Cluster: 'east', FailedKeys: 1 },
    ])
    expect(failed(new PersistentConflictError('changed'))).toEqual([
      { FailedKeys: 1, ConflictedKeys: 1 },
      { Cluster: 'east', FailedKeys: 1 },
    ])
  })

  it('count a cluster once in each call for the version that was called, where versions are compared', () => {
    const lines: Line[] = []
    const emf = createEmfMetrics({ write: (line) => lines.push(JSON.parse(line)) })
    const metrics = createFunctionMetrics(emf, '7')
    const parts = (record: () => void): unknown[] => {
      record()
      metrics.flush()
      return lines
        .splice(0)
        .flatMap(({ Version, BatchParts, FailedBatchParts }) =>
          BatchParts === undefined ? [] : [[Version, BatchParts, FailedBatchParts]],
        )
    }
    const reconciled = (cluster: string) => metrics.reconciled({ ...UNCHANGED, key: { ...KEY, cluster } })
    const failed = (cluster: string) => metrics.failed(cluster, new Error('no'))
    const mixed = parts(() => {
      for (const cluster of ['east', 'east', 'west']) failed(cluster)
      for (const cluster of ['east', 'north', 'north']) reconciled(cluster)
    })
    expect(mixed).toEqual([
      [undefined, 3, 2],
      ['7', 3, 2],
    ])
    expect(parts(() => reconciled('east'))).toEqual([
      [undefined, 1, 0],
      ['7', 1, 0],
    ])
    expect(parts(() => {})).toEqual([])
  })

  it('count letters in all and of their class, keys that were left, comparisons and lost records', () => {
    const { written } = setUp()
    written(() => {})
    expect(
      written((metrics) => {
        metrics.deadLetter('Forbidden')
        metrics.deadLetter('Forbidden')
        metrics.deadLetter('MalformedMessage')
        metrics.left('east')
        metrics.lostRecords(5)
        metrics.compared({ result: 'different' })
      }),
    ).toEqual([
      { DeadLetters: 3, MalformedMessages: 1, LostRecords: 5 },
      { Class: 'Forbidden', DeadLetters: 2 },
      { Class: 'MalformedMessage', DeadLetters: 1 },
      { Cluster: 'east', LeftKeys: 1 },
      { Result: 'different', ServicesCompared: 1 },
    ])
  })
})
