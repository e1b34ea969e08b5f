import type { PhaseResult } from './arena.ts'
import type { ContenderName } from './contenders.ts'
import type { ChangeKind } from './judge.ts'
import { type LatencySummary, summarize } from './latencies.ts'

/** One work played to one contender: a line of the NDJSON output. Latencies are milliseconds. */
export interface Result {
  /** Day of the measurement, such as `2026-11-26`. */
  readonly date: string
  readonly work: string
  /** Between contender and API server; 0 on one machine. */
  readonly roundTripMs: number
  readonly contender: ContenderName
  readonly round: number
  /** Latency by kind of change. */
  readonly latency: Readonly<Partial<Record<ChangeKind, LatencySummary>>>
  /** Changes overtaken by newer ones before they were seen. */
  readonly superseded: number
  /** Number of times that an address was wrong or missing for more than 2 s. */
  readonly late: number
  readonly sliceWrites: number
  readonly watchBytes: number
  /** Writes by the driver. */
  readonly writes: number
  /** Requests of the contender for each write by the driver. */
  readonly requestsPerWrite: number
  readonly kilobytesReadPerWrite: number
  readonly cpuSeconds: PhaseResult['cpuSeconds']
  readonly memoryMb: number
  /** Time from the first write until every address was right. */
  readonly seconds: number
  /** Load of the machine in the last minute. */
  readonly load: number
  /** The first 20 differences in the end. */
  readonly differences: readonly string[]
}

const DIFFERENCES_KEPT = 20

export function resultOf(
  phase: PhaseResult,
  which: Pick<Result, 'work' | 'roundTripMs' | 'contender' | 'round'>,
): Result {
  const { latencies, traffic, writes, cpuSeconds, ...rest } = phase
  return {
    date: new Date().toISOString().slice(0, 10),
    ...which,
    latency: Object.fromEntries([...latencies].map(([kind, values]) => [kind, summaryOf(values)])),
    ...rest,
    writes,
    requestsPerWrite: rounded(traffic.requests / writes, 2),
    kilobytesReadPerWrite: rounded(traffic.kilobytesRead / writes, 1),
    cpuSeconds: {
      controller: rounded(cpuSeconds.controller, 2),
      apiServer: rounded(cpuSeconds.apiServer, 2),
      etcd: rounded(cpuSeconds.etcd, 2),
      driver: rounded(cpuSeconds.driver, 2),
      others: rounded(cpuSeconds.others, 2),
    },
    memoryMb: rounded(phase.memoryMb, 1),
    seconds: rounded(phase.seconds, 1),
    load: rounded(phase.load, 2),
    differences: phase.differences.slice(0, DIFFERENCES_KEPT),
  }
}

function summaryOf(values: readonly number[]): LatencySummary {
  const { count, p50, p99, max } = summarize(values)
  return { count, p50: rounded(p50, 1), p99: rounded(p99, 1), max: rounded(max, 1) }
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits))
