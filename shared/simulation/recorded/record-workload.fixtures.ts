import { type EndpointSlice, type Pod, plan, type Service } from '../../endpointslice/index.ts'
import type { RecordingLine } from '../../recording/index.ts'
import { createMemoryRecorder } from '../../recording/writing/memory-sink.fixtures.ts'
import type { Events, Workload } from '../workloads/index.ts'

const BEGIN = Date.UTC(2026, 10, 22)
/** Milliseconds from a change to its message, and from the message to its writes. */
export const SENT_MS = 2
export const SYNC_MS = 10

/**
 * Records the writes for each Pod event of a workload of one Service, one sync after the other, as `run
 * --record` would.
 * @returns the lines, and the final slices
 */
export async function recordWorkload(
  workload: Workload,
): Promise<{ readonly lines: readonly RecordingLine[]; readonly slices: readonly EndpointSlice[] }> {
  let now = BEGIN
  const settings = { coalescingWindow: 'auto', maxEndpointsPerSlice: 100 }
  const { sink, recorder } = createMemoryRecorder({ settings, now: () => now })
  const [service = {} as Service] = workload.services
  const key = { cluster: 'eu-1', namespace: 'shop', service: service.metadata?.name ?? '' }
  const pods = new Map<string, Pod>(workload.pods.map((pod) => [pod.metadata?.name ?? '', pod]))
  let slices: EndpointSlice[] = []
  let version = 1000

  function sync(sentAt: number): void {
    const planned = plan({ service, pods: [...pods.values()], nodes: [...workload.nodes], slices })
    const reasons = {
      removalCauseOf: () => ({ cause: 'Deleted' as const }),
      podVersion: (name: string) => pods.get(name)?.metadata?.resourceVersion,
      message: { ids: [`m${sentAt}`], sentAt: new Date(sentAt).toISOString(), receiveCount: 1 },
    }
    const stored = (slice: EndpointSlice): EndpointSlice => ({
      ...slice,
      metadata: { ...slice.metadata, resourceVersion: String(++version) },
    })
    for (const slice of planned.create) {
      const after = stored(slice)
      recorder.wrote(key, { action: 'create', after, reasons })
      slices.push(after)
    }
    for (const slice of planned.update) {
      const before = slices.find(({ metadata }) => metadata?.name === slice.metadata?.name)
      const after = stored(slice)
      recorder.wrote(key, { action: 'update', before, after, reasons })
      slices = slices.map((each) => (each === before ? after : each))
    }
    for (const slice of planned.delete) {
      recorder.wrote(key, { action: 'delete', before: slice, reasons })
      slices = slices.filter(({ metadata }) => metadata?.name !== slice.metadata?.name)
    }
  }

  sync(now)
  for (const event of [...(workload.events() as Iterable<Events>)].flatMap((piece) => [...piece])) {
    if (!('pod' in event)) throw new Error('it is of Pods')
    const name = event.pod.metadata?.name ?? ''
    if (event.isGone) pods.delete(name)
    else pods.set(name, event.pod)
    const eventAt = BEGIN + 60_000 + Math.round(event.atMs)
    const sentAt = eventAt + SENT_MS
    now = Math.max(now, sentAt)
    recorder.sent({ ...key, about: ['pod'], count: 1, ages: [now - eventAt], lane: 'live' })
    now = Math.max(now, sentAt + SYNC_MS)
    sync(sentAt)
  }
  return { lines: sink.records(), slices }
}
