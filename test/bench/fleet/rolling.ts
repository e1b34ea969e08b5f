import { setTimeout as sleep } from 'node:timers/promises'
import type { ChangeTimes, ClusterPods, FleetService } from './workload.ts'

export interface Rolling {
  readonly seconds: number
  /** Pods that are replaced a second in each cluster. */
  readonly perSecond: number
  /** Services of a cluster that are updated at once. */
  readonly atOnce: number
}

/**
 * Rolls the Services of a cluster: a new pod becomes ready, then the oldest one ends. Resolves with the
 * Services that were touched once the time is over.
 */
export async function roll(
  pods: ClusterPods,
  times: ChangeTimes,
  { seconds, perSecond, atOnce }: Rolling,
): Promise<ReadonlySet<FleetService>> {
  const services = [...pods.running.keys()]
  const touched = new Set<FleetService>()
  const steps: Promise<void>[] = []
  const started = performance.now()
  const total = Math.floor(seconds * perSecond)
  for (let nth = 0; nth < total; nth += 1) {
    await sleep(Math.max(0, started + (nth * 1000) / perSecond - performance.now()))
    // All pods of so many Services, then those of the next ones.
    const ofEach = [...pods.running.values()][0]?.length ?? 1
    const group = Math.floor(nth / (atOnce * ofEach))
    const service = services[(group * atOnce + (nth % atOnce)) % services.length]
    if (service === undefined) break
    touched.add(service)
    steps.push(replace(pods, service, times))
  }
  await Promise.all(steps)
  return touched
}

async function replace(pods: ClusterPods, service: FleetService, times: ChangeTimes): Promise<void> {
  await pods.start(service, times)
  await pods.end(service, times)
}
