import type { Pod } from '../../endpointslice/index.ts'
import { createRandom, type Random } from '../random.ts'
import { type ClusterSize, createSimulatedCluster, withState } from './cluster.ts'
import { ContradictionError } from './contradictions.ts'
import type { PodEvent, Workload } from './workload.ts'

/** Pods that become unready from time to time, and ready again. */
export interface ChurnOptions {
  readonly seed: number
  /** Seconds of simulated time. */
  readonly duration: number
  /** Mean seconds between two changes of a Pod; becoming unready and becoming ready again are two changes. */
  readonly meanChange: number
  /** Mean seconds for which a Pod is unready; default 30, at most half of the time. */
  readonly recovery?: number
  /** Share of noisy Pods; default 0. */
  readonly noisyShare?: number
  /** Mean seconds between two changes of a noisy Pod; default 30. */
  readonly noisyMeanChange?: number
}

/**
 * @throws ContradictionError
 * @example
 * ```ts
 * const size = { services: 10, endpoints: 20, nodes: 5 }
 * const workload = churnWorkload(size, { duration: 60, meanChange: 30, seed: 1 })
 * const { run } = await simulate({ workload, policy: 'in-tree' })
 * run.events > 0 // => true
 * ```
 */
export function churnWorkload(size: ClusterSize, options: ChurnOptions): Workload {
  checkChurn(options)
  const { services, nodes, pods } = createSimulatedCluster(size)
  return { services, nodes, pods, events: () => [churn(pods, options)] }
}

function churn(pods: readonly Pod[], options: ChurnOptions): PodEvent[] {
  const { noisyShare = 0, noisyMeanChange = 30, meanChange } = options
  const random = createRandom(options.seed)
  const events = pods.flatMap((pod) => {
    const mean = random.chance(noisyShare) ? noisyMeanChange : meanChange
    return changesOf(pod, mean, options, random)
  })
  return events.sort((a, b) => a.atMs - b.atMs)
}

function changesOf(
  pod: Pod,
  mean: number,
  { duration, recovery = 30 }: ChurnOptions,
  random: Random,
): PodEvent[] {
  const events: PodEvent[] = []
  const unready = Math.min(recovery, mean)
  let isReady = true
  let version = 1
  for (let at = random.exponential(2 * mean - unready); at < duration; ) {
    isReady = !isReady
    events.push({ atMs: at * 1000, pod: withState(pod, { isReady }, ++version) })
    at += random.exponential(isReady ? 2 * mean - unready : unready)
  }
  return events
}

/** @throws ContradictionError */
function checkChurn({ meanChange, recovery = 30, noisyShare = 0, noisyMeanChange = 30 }: ChurnOptions): void {
  if (recovery > meanChange) {
    throw new ContradictionError(
      `a Pod that changes every ${meanChange} s is not unready for ${recovery} s of it on average: the nearest are recovery ${meanChange}, or meanChange ${recovery}`,
    )
  }
  if (noisyShare > 0 && noisyMeanChange > meanChange) {
    throw new ContradictionError(
      `noisy Pods that change every ${noisyMeanChange} s are quieter than the others with ${meanChange} s: the nearest are noisyMeanChange ${meanChange}, or noisyShare 0`,
    )
  }
}
