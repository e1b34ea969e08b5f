import { describe, expect, it } from 'vitest'
import type { ContenderName } from './contenders.ts'
import type { Result } from './result.ts'
import { tableOf } from './table.ts'

const result = (contender: ContenderName, ready: number, more: Partial<Result> = {}): Result => ({
  date: '2026-01-01',
  work: 'churn',
  roundTripMs: 0,
  contender,
  round: 1,
  latency: { ready: { count: 10, p50: ready, p99: ready * 10, max: ready * 20 } },
  superseded: 0,
  late: 0,
  sliceWrites: 1000,
  watchBytes: 2_500_000,
  writes: 100,
  requestsPerWrite: 1,
  kilobytesReadPerWrite: 0,
  cpuSeconds: { controller: 1.25, apiServer: 20, etcd: 3, driver: 2, others: 1 },
  memoryMb: 96.44,
  seconds: 30,
  load: 1,
  differences: [],
  ...more,
})

const rowOf = (results: readonly Result[], name: string): string | undefined =>
  tableOf(results)
    .split('\n')
    .find((line) => line.startsWith(`| ${name}`))

describe('the table', () => {
  it('has the in-tree controller first, whoever was played first, and the ratio of Sliceflow to it', () => {
    const results = [result('sliceflow', 30), result('in-tree', 20)]
    expect(rowOf(results, 'ready p50')).toBe('| ready p50, ms | 20 / 30 (1.5) |')
    expect(rowOf(results, 'ready p99')).toBe('| ready p99, ms | 200 / 300 (1.5) |')
  })

  it('has the median of the rounds', () => {
    const results = [9, 1_000, 10].map((ready) => result('in-tree', ready))
    expect(rowOf(results, 'ready p50')).toBe('| ready p50, ms | 10 |')
  })

  it('has no figures of a contender that was wrong in the end of any round', () => {
    const wrong = result('sliceflow', 1, { round: 2, differences: ['an endpoint is missing'] })
    const results = [result('in-tree', 10), result('sliceflow', 10), wrong]
    expect(rowOf(results, 'ready p50')).toBe('| ready p50, ms | 10 / wrong |')
  })

  it('tells no more digits than mean something', () => {
    const results = [result('in-tree', 1234.5)]
    expect(rowOf(results, 'ready p50')).toBe('| ready p50, ms | 1,235 |')
    expect(rowOf(results, 'watch bytes')).toBe('| watch bytes, MB | 2.5 |')
    expect(rowOf(results, 'CPU of the controller')).toBe('| CPU of the controller, s | 1.25 |')
    expect(rowOf(results, 'memory')).toBe('| memory of the controller, MB | 96.4 |')
  })
})
