import { type Change, createClusterIndex } from '../../changes/index.ts'
import { createPodAnswers } from './pod-answers.ts'
import type { Found, RelayEvent, Workload, WorkloadEvent } from './workload.ts'

/** The cluster of every workload. */
export const CLUSTER = 'simulated'

/** Events of a batch: one piece for each event would take as long as the event itself. */
const BATCH = 1024

/**
 * Yields the initial state of a workload, then its events, as the relay's own index sees them. It is the
 * same for every policy and window.
 * @example
 * ```ts
 * const workload = scaleWorkload({ services: 1, endpoints: 2, nodes: 1 }, { seed: 1 })
 * let batches = 0
 * for await (const events of replay(workload)) if (events.length > 0) batches++
 * batches > 0 // => true
 * ```
 */
export async function* replay(workload: Workload): AsyncGenerator<readonly RelayEvent[]> {
  if (workload.relayEvents !== undefined) return yield* workload.relayEvents()
  const handle = createReplayer()
  const { services, nodes, pods } = workload
  let batch: RelayEvent[] = [handle({ atMs: 0, found: { services, nodes, pods } })]
  for await (const events of workload.events()) {
    for (const event of events) batch.push(handle(event))
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  yield batch
}

function createReplayer(): (event: WorkloadEvent) => RelayEvent {
  const index = createClusterIndex(CLUSTER, 'replace')
  const podAnswers = createPodAnswers(index.pods)

  function find({ services = [], pods = [] }: Partial<Found>): (readonly Change[])[] {
    if (services.length > 0) podAnswers.renew()
    for (const service of services) index.services.put(service)
    return pods.map(podAnswers.put)
  }

  return (event) => {
    if ('sync' in event) return { event }
    if ('found' in event) return { event, ofPods: find(event.found) }
    if ('service' in event) {
      const { service, isGone } = event
      podAnswers.renew()
      return { event, changes: isGone ? index.services.remove(service) : index.services.put(service) }
    }
    const { pod, isGone } = event
    return { event, changes: isGone ? podAnswers.remove(pod) : podAnswers.put(pod) }
  }
}
