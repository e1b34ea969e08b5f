import { createRandom } from '../random.ts'
import { type ClusterSize, createSimulatedCluster, withState } from './cluster.ts'
import { ContradictionError } from './contradictions.ts'
import type { PodEvent, Workload } from './workload.ts'

/** Each Service scales up, and later down again. */
export interface ScaleOptions {
  readonly seed: number
  /** Ratio of the maximum number of Pods of a Service to the initial number; default 2. */
  readonly factor?: number
  /** Pods of a Service created or deleted per second; default 20. */
  readonly perSecond?: number
  /** Seconds for which a Pod terminates; default 2. */
  readonly termination?: number
}

/**
 * Creates the workload of a Service that is scaled up and down. It deletes as many Pods as it created, not
 * necessarily the same ones.
 * @throws ContradictionError
 * @example
 * ```ts
 * const workload = scaleWorkload({ services: 1, endpoints: 10, nodes: 5 }, { factor: 3, seed: 1 })
 * const { run } = await simulate({ workload, policy: 'in-tree' })
 * run.changes > 0 // => true
 * ```
 */
export function scaleWorkload(size: ClusterSize, options: ScaleOptions): Workload {
  checkScale(size, options)
  const { services, nodes, pods } = createSimulatedCluster(size)
  return { services, nodes, pods, events: () => [scale(size, options)] }
}

function scale(size: ClusterSize, options: ScaleOptions): PodEvent[] {
  const { factor = 2, perSecond = 20, termination = 2 } = options
  const { services, endpoints } = size
  const cluster = createSimulatedCluster(size)
  const random = createRandom(options.seed)
  const stepMs = 1000 / perSecond
  const more = Math.max(0, Math.round((factor - 1) * endpoints))
  const events: PodEvent[] = []
  for (let service = 0; service < services; service++) {
    const added = Array.from({ length: more }, () => cluster.newPod(service))
    for (const [index, pod] of added.entries()) events.push({ atMs: index * stepMs, pod })
    const there = [...cluster.pods.slice(service * endpoints, (service + 1) * endpoints), ...added]
    for (const [index, pod] of random.shuffled(there).slice(0, more).entries()) {
      const atMs = (more + index) * stepMs
      const terminating = withState(pod, { isTerminating: true }, 2)
      events.push({ atMs, pod: terminating })
      events.push({ atMs: atMs + termination * 1000, pod: terminating, isGone: true })
    }
  }
  return events.sort((a, b) => a.atMs - b.atMs)
}

/** @throws ContradictionError */
function checkScale({ endpoints }: ClusterSize, { factor = 2 }: ScaleOptions): void {
  if (Math.round((factor - 1) * endpoints) > 0) return
  throw new ContradictionError(
    `factor ${factor} of ${endpoints} endpoints adds no Pod: the nearest is factor ${Number((1 + 1 / endpoints).toPrecision(3))}, which adds one`,
  )
}
