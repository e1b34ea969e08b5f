import { type Change, createClusterIndex } from '../../changes/index.ts'
import { createPodAnswers } from './pod-answers.ts'
import type {
  Found,
  FoundEvent,
  PodEvent,
  ServiceEvent,
  SyncEvent,
  Workload,
  WorkloadEvent,
} from './workload.ts'

/** The cluster of every workload. */
export const CLUSTER = 'simulated'

/** An event, and what the relay's index sees of Services in it. */
export type Told =
  | { readonly event: PodEvent | ServiceEvent; readonly changes: readonly Change[] }
  | {
      readonly event: FoundEvent
      /** The Services that each of the Pods found is an endpoint of. */
      readonly ofPods: readonly (readonly Change[])[]
    }
  | { readonly event: SyncEvent }

/** Events of a batch: one piece for each event would take as long as the event itself. */
const BATCH = 1024

/**
 * Tells what there is at the begin of a workload and then its events, to the relay's own index. It is the
 * same for every policy and window.
 */
export async function* toldOf(workload: Workload): AsyncGenerator<readonly Told[]> {
  if (workload.told !== undefined) return yield* workload.told()
  const tell = createTeller()
  const { services, nodes, pods } = workload
  let batch: Told[] = [tell({ atMs: 0, found: { services, nodes, pods } })]
  for await (const events of workload.events()) {
    for (const event of events) batch.push(tell(event))
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  yield batch
}

function createTeller(): (event: WorkloadEvent) => Told {
  const index = createClusterIndex(CLUSTER, 'replace')
  const podAnswers = createPodAnswers(index.pods)

  function find({ services = [], pods = [] }: Partial<Found>): (readonly Change[])[] {
    if (services.length > 0) podAnswers.renew()
    for (const service of services) index.services.put(service)
    return pods.map(podAnswers.put)
  }

  return (event) => {
    if ('look' in event) return { event }
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
