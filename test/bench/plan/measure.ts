import { type PlanOptions, plan } from '../../../shared/endpointslice/index.ts'
import { collectGarbage } from '../../support/heap.ts'
import { median } from '../race/latencies.ts'
import type { BenchCase } from './bench-cases.ts'

/** One call on objects that stand in memory; the median of many. */
export interface Measurement {
  readonly id: string
  readonly milliseconds: number
  /** Memory allocated by one call, freed or not; ours is a floor, see allocatedBy(). */
  readonly allocatedBytes: number
  readonly runs: number
  readonly create: number
  readonly update: number
  readonly delete: number
}

/** The same times as upstream/bench.go takes. */
const WARM_UP_MS = 500
const TIMED_MS = 2000
const MIN_RUNS = 9

/** Measures plan(), with Node's default heap. */
export function measurePlan(benchCase: BenchCase): Measurement {
  const { maxEndpointsPerSlice, triggerTime, controllerName: managedBy } = benchCase
  const options: PlanOptions = { maxEndpointsPerSlice, triggerTime, managedBy }
  const once = (): number => {
    const started = performance.now()
    plan(benchCase, options)
    return performance.now() - started
  }
  for (let total = 0; total < WARM_UP_MS; ) total += once()
  const times: number[] = []
  for (let total = 0; times.length < MIN_RUNS || total < TIMED_MS; ) {
    const took = once()
    times.push(took)
    total += took
  }
  const allocatedBytes = allocatedBy(() => plan(benchCase, options))
  const { create, update, delete: removed } = plan(benchCase, options)
  return {
    id: benchCase.id,
    milliseconds: median(times),
    allocatedBytes,
    runs: times.length,
    create: create.length,
    update: update.length,
    delete: removed.length,
  }
}

const ALLOCATION_SAMPLES = 5

/**
 * Measures how much the heap grows by the work. It takes the largest of a few results, as the growth seems
 * smaller when the collector ran meanwhile.
 */
function allocatedBy(work: () => unknown): number {
  const samples = Array.from({ length: ALLOCATION_SAMPLES }, () => {
    collectGarbage()
    const before = process.memoryUsage().heapUsed
    work()
    return process.memoryUsage().heapUsed - before
  })
  return Math.max(...samples)
}
