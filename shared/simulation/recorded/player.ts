import type { ServiceKey } from '../../changes/index.ts'
import { compareVersions, LABEL_ZONE, type Node } from '../../endpointslice/index.ts'
import type { RecordingLine, Removal, SnapshotRecord, WriteRecord } from '../../recording/index.ts'
import type { Found, SyncEvent, WorkloadEvent } from '../workloads/index.ts'
import { type Answered, createChangeMoments, momentOf } from './change-moments.ts'
import { createRecordedPods, type Place, podName } from './recorded-pods.ts'
import { createRecordedServices, type ServiceChange } from './recorded-services.ts'

type SliceLine = SnapshotRecord | WriteRecord

/** Replays the lines of a recording as an informer's events: each write shows what its Pods have become. */
export interface Player {
  /**
   * Plays one more line. Times of events are milliseconds since the epoch.
   * @returns the durations of steps of syncs, each with its time, which may be long ago
   */
  play(line: RecordingLine): readonly SyncEvent[]
  /** Returns all current objects. */
  found(): Found
}

/** @param emit called with each event, not in the order of time */
export function createPlayer(emit: (event: WorkloadEvent) => void): Player {
  const services = createRecordedServices()
  const pods = createRecordedPods()
  const moments = createChangeMoments()
  /** Slices with missing records, by namespace and name, until their next snapshot. */
  const uncertain = new Set<string>()

  function placeOf(line: SliceLine, ports: Place['ports']): Place {
    const { namespace, service, slice, addressType } = line
    return { namespace, service, slice, addressType, ports }
  }

  function emitService(key: ServiceKey, change: ServiceChange, atMs: number): void {
    const service = services.find(key)
    if (service === undefined || change === 'same') return
    emit(change === 'found' ? { atMs, found: { services: [service] } } : { atMs, service })
  }

  function emitNodes(atMs: number, apply: () => void): void {
    const before = pods.zones.size
    apply()
    if (pods.zones.size === before) return
    const names = [...pods.zones.keys()].slice(before)
    emit({ atMs, found: { nodes: names.map((name) => nodeOf(name, pods.zones.get(name))) } })
  }

  function read(line: SnapshotRecord): void {
    const atMs = Date.parse(line.time)
    const place = placeOf(line, line.ports)
    emitService(line, services.put(line, line.slice, line, true), atMs)
    const found: Found['pods'][number][] = []
    emitNodes(atMs, () => {
      for (const endpoint of line.endpoints) {
        const pod = pods.put(place, endpoint)
        if (pod !== undefined) found.push(pod)
      }
    })
    if (found.length > 0) emit({ atMs, found: { pods: found } })
    if (!uncertain.delete(`${line.namespace}/${line.slice}`)) return
    const names = new Set(line.endpoints.map(podName))
    for (const endpoint of pods.of(place)) if (!names.has(podName(endpoint))) leave(place, endpoint, atMs)
  }

  function leave(place: Place, endpoint: Removal['endpoint'], atMs: number): void {
    const left = pods.leave(place, endpoint)
    if (left !== undefined) emit({ atMs, pod: left.pod, ...(left.isGone && { isGone: true }) })
  }

  function wrote(line: WriteRecord): Answered['steps'] {
    const answered = moments.of(line)
    const times = answered.moments
    const ports = line.ports ?? services.slice(line, line.slice)?.ports ?? []
    const place = placeOf(line, ports)
    if (line.action !== 'delete') emitSlice(line, ports, answered)
    if (line.action === 'create') services.made(line, line.slice, answered.sync)
    emitPods(line, place, times)
    if (line.action === 'delete' || isServiceGone(line)) emitRemoval(line, answered)
    return answered.steps
  }

  function emitSlice(line: WriteRecord, ports: Place['ports'], { moments: times }: Answered): void {
    const [first = 0] = times
    const { addressType } = line
    if (isServiceGone(line)) return
    emitService(line, services.put(line, line.slice, { addressType, ports }), first)
    if (isOfService(line)) emitService(line, services.touch(line, first), first)
  }

  /** Deletes a slice, and with the last one its Service; if the sync created others, it was made again. */
  function emitRemoval(line: WriteRecord, { sync, moments: [atMs = 0] }: Answered): void {
    const service = services.removeSlice(line, line.slice)
    if (service !== undefined) emit({ atMs, service, isGone: true })
    else emitService(line, services.renewIfAllMade(line, sync), atMs)
  }

  function emitPods(line: WriteRecord, place: Place, times: readonly number[]): void {
    const { came, went, changed } = line
    const left = went.filter(({ cause }) => cause !== 'Moved')
    const timeOf = timesOf(line, left, times)
    emitNodes(times[0] ?? 0, () => {
      for (const endpoint of came) {
        const name = podName(endpoint)
        const pod = pods.put(place, endpoint)
        if (pod !== undefined) emit({ atMs: timeOf(name), pod })
      }
      for (const { addresses, target, to } of changed) {
        const name = target ?? addresses.join(',')
        const pod = pods.change(place, name, to)
        if (pod !== undefined) emit({ atMs: timeOf(name), pod })
      }
    })
    for (const { endpoint } of left) leave(place, endpoint, timeOf(podName(endpoint)))
  }

  return {
    play(recorded) {
      const line = asOfService(recorded)
      if (line.kind === 'change') return moments.add(line)
      if (line.kind === 'write') return wrote(line)
      if (line.kind === 'snapshot') read(line)
      else if (line.kind === 'lost') for (const slice of services.slices()) uncertain.add(slice)
      return NONE
    },
    found: () => ({
      services: services.all(),
      nodes: [...pods.zones].map(([name, zone]) => nodeOf(name, zone)),
      pods: pods.all(),
    }),
  }
}

const NONE: readonly never[] = []

/** Simulates another owner of slices as a Service with a unique name. */
const asOfService = (line: RecordingLine): RecordingLine =>
  'ownerKind' in line && line.ownerKind !== undefined
    ? { ...line, service: `${line.service}.${line.ownerKind.toLowerCase()}`, ownerKind: undefined }
    : line

/** Reports whether the Service itself is gone. Its Pods may still exist. */
const isServiceGone = ({ went }: WriteRecord): boolean =>
  went.some(({ cause }) => cause === 'ServiceDeleted' || cause === 'ServiceUnmanaged')

/** Reports whether the write changed labels or foreign edits only, neither endpoints nor ports. */
const isOfService = ({ action, came, went, changed, ports }: WriteRecord): boolean =>
  action === 'update' && ports === undefined && came.length + went.length + changed.length === 0

/** Returns when each Pod of a write changed: in the order of versions, the last at the last moment. */
function timesOf(
  { came, changed, pods: versions }: WriteRecord,
  left: readonly Removal[],
  times: readonly number[],
): (name: string) => number {
  const names = [
    ...came.map(podName),
    ...changed.map(({ target, addresses }) => target ?? addresses.join(',')),
    ...left.map(({ endpoint }) => podName(endpoint)),
  ]
  if (times.length === 1 || names.length === 1) return () => times.at(-1) ?? 0
  const order = names.sort((a, b) => compareVersions(versions[a] ?? '', versions[b] ?? ''))
  const places = new Map(order.map((name, index) => [name, momentOf(times, index, order.length)]))
  return (name) => places.get(name) ?? times.at(-1) ?? 0
}

const nodeOf = (name: string, zone: string | undefined): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, ...(zone !== undefined && { labels: { [LABEL_ZONE]: zone } }) },
})
