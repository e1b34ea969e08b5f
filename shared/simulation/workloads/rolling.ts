import type { Pod } from '../../endpointslice/index.ts'
import { createRandom } from '../random.ts'
import { type ClusterSize, createSimulatedCluster, type SimulatedCluster, withState } from './cluster.ts'
import { ContradictionError } from './contradictions.ts'
import type { PodEvent, Workload } from './workload.ts'

/** A rolling update of each Service, like that of a Deployment. */
export interface RollingOptions {
  readonly seed: number
  /** Maximum share of Pods above the wanted number; default 0.25, a Deployment's maxSurge. */
  readonly surge?: number
  /** Maximum share of the wanted Pods that is missing; default 0.25, a Deployment's maxUnavailable. */
  readonly unavailable?: number
  /** Maximum Pods of a Service created, and deleted, per second: schedulers limit it. Default 20. */
  readonly perSecond?: number
  /** Seconds from a Pod's address until it is ready; default 0: no readiness probe. */
  readonly startup?: number
  /** Seconds for which a Pod terminates; default 2. */
  readonly termination?: number
}

/**
 * Replaces every Pod by a new one, in no order:
 * 1. Create a new Pod while the surge allows it, no faster than `perSecond`; it is ready after `startup`.
 * 2. Start to terminate an old Pod while more than the required number are ready.
 * 3. Delete it after `termination`.
 * @throws ContradictionError
 * @example
 * ```ts
 * const workload = rollingWorkload({ services: 1, endpoints: 20, nodes: 5 }, { seed: 1 })
 * const { run } = await simulate({ workload, policy: 'compact' })
 * run.events // => workload.count
 * ```
 */
export function rollingWorkload(size: ClusterSize, options: RollingOptions): Workload {
  checkRolling(size, options)
  const { services, nodes, pods } = createSimulatedCluster(size)
  return {
    services,
    nodes,
    pods,
    events: () => [rollAll(size, options)],
    count: size.services * size.endpoints * (options.startup ? 4 : 3),
  }
}

function rollAll(size: ClusterSize, options: RollingOptions): PodEvent[] {
  const cluster = createSimulatedCluster(size)
  const random = createRandom(options.seed)
  const events: PodEvent[] = []
  for (let service = 0; service < size.services; service++) {
    const old = cluster.pods.slice(service * size.endpoints, (service + 1) * size.endpoints)
    rollOne({ cluster, service, old: random.shuffled(old) }, options, events)
  }
  return events.sort((a, b) => a.atMs - b.atMs)
}

interface Rolled {
  readonly cluster: SimulatedCluster
  readonly service: number
  /** Old Pods in the order of their deletion. */
  readonly old: readonly Pod[]
}

function rollOne({ cluster, service, old }: Rolled, options: RollingOptions, events: PodEvent[]): void {
  const { startup = 0, termination = 2 } = options
  const { readyAt, leftAt } = rolloutTimes(old.length, options)
  for (const atMs of readyAt) {
    const pod = cluster.newPod(service)
    if (startup > 0) events.push({ atMs: atMs - startup * 1000, pod: withState(pod, { isReady: false }, 1) })
    events.push({ atMs, pod: withState(pod, {}, 2) })
  }
  for (const [index, atMs] of leftAt.entries()) {
    const pod = withState(old[index] ?? {}, { isTerminating: true }, 3)
    events.push({ atMs, pod })
    // 3.
    events.push({ atMs: atMs + termination * 1000, pod, isGone: true })
  }
}

/** Computes when each new Pod becomes ready, and when each old one starts to terminate, in order. */
function rolloutTimes(wanted: number, options: RollingOptions): { readyAt: number[]; leftAt: number[] } {
  const { surge = 0.25, unavailable = 0.25, perSecond = 20, startup = 0 } = options
  // Rounded as a Deployment does.
  const missing = Math.floor(unavailable * wanted)
  const surplus = Math.ceil(surge * wanted)
  const stepMs = 1000 / perSecond
  const leftAt: number[] = []
  const readyAt: number[] = []
  const leave = (): void => {
    const atMs = leftAt.length < missing ? 0 : (readyAt[leftAt.length - missing] ?? 0)
    leftAt.push(Math.max(atMs, (leftAt.at(-1) ?? -stepMs) + stepMs))
  }
  let madeAt = -stepMs
  for (let made = 0; made < wanted; made++) {
    // 2. This many may be missing; each further one waits for a ready Pod.
    while (leftAt.length < Math.min(wanted, readyAt.length + missing)) leave()
    // 1.
    madeAt = Math.max(madeAt + stepMs, made < surplus ? 0 : (leftAt[made - surplus] ?? 0))
    readyAt.push(madeAt + startup * 1000)
  }
  while (leftAt.length < wanted) leave()
  return { readyAt, leftAt }
}

/** @throws ContradictionError */
function checkRolling(
  { endpoints }: ClusterSize,
  { surge = 0.25, unavailable = 0.25 }: RollingOptions,
): void {
  if (Math.ceil(surge * endpoints) > 0 || Math.floor(unavailable * endpoints) > 0) return
  const one = Number((1 / endpoints).toPrecision(3))
  throw new ContradictionError(
    `with surge ${surge} and unavailable ${unavailable} of ${endpoints} endpoints no Pod may be more and none may be missing, so that nothing can be replaced: the nearest are surge ${one}, or unavailable ${one}, which is one Pod`,
  )
}
