import { hash } from 'node:crypto'
import { isSealed, type KeyText, keyFields, keyText, type ServiceKey } from '../../changes/index.ts'
import type { EndpointSlice } from '../../endpointslice/index.ts'
import { BoundedCache } from '../../values/index.ts'
import { type ChangeRecord, RECORD_VERSION, type StartRecord } from '../format/record.ts'
import type { RecordingSink } from './sink.ts'
import {
  type Content,
  nameOf,
  type SliceWrite,
  snapshotOf,
  versionOf,
  writeRecordOf,
} from './write-record.ts'

/** A key that the relay sent, and the changes that it covers. */
type SentKey = ServiceKey &
  Pick<ChangeRecord, 'about' | 'count' | 'ages' | 'bytes' | 'seen' | 'lane' | 'trigger' | 'pods'>

/** Receives events to record. Its methods never throw and return without waiting. */
export interface Recorder {
  /** Reports whether this Service is recorded: every worker with the same share gives the same answer. */
  records(key: ServiceKey): boolean
  /** Records all slices of a Service, as they were read. */
  saw(key: ServiceKey, slices: readonly EndpointSlice[]): void
  wrote(key: ServiceKey, write: SliceWrite): void
  /** Records that a slice to be written no longer existed. */
  gone(key: ServiceKey, slice: string): void
  /** Records a failed write: the API server may have accepted it nevertheless. */
  failed(key: ServiceKey): void
  sent(key: SentKey): void
}

/** Creates records some 150 ms after the call, outside the caller's turn, and passes them to a sink. */
export interface SinkRecorder extends Recorder {
  /** Creates the outstanding records. Call it before the sink is flushed or closed. */
  settle(): void
}

export interface RecorderOptions {
  readonly sink: RecordingSink
  /** Name of the worker, such as host name and process id. */
  readonly worker: string
  /** Returns the id of the current invocation; default: none. */
  readonly request?: () => string | undefined
  /** Share of Services that are recorded, 0 to 1; default 1. */
  readonly share?: number
  /** Settings to put into the recording, for simulations of it. */
  readonly settings: StartRecord['settings']
  /** Called with the number of lost records. */
  readonly onLost?: (records: number) => void
  /** Milliseconds since the epoch; default `Date.now`. */
  readonly now?: () => number
}

/** Milliseconds for which events are gathered: creating records together halves the CPU time of each. */
const GATHER_MS = 150
/** Minimum number of records per turn of the event loop; of a long backlog, a share. */
const AT_ONCE = 16
const SHARE_AT_ONCE = 0.1

/**
 * Creates a recorder. A write is recorded as a difference, so its record needs the state before it. If the
 * records of this part do not end with that state, a snapshot comes first, in one chunk with the record.
 * After a loss no slice counts as recorded.
 */
export function createRecorder(options: RecorderOptions): SinkRecorder {
  const { sink, share = 1, request, now = Date.now } = options
  /** Versions as they were recorded last, by slice. The next record of an evicted Service is a snapshot. */
  let known = new BoundedCache<KeyText, Map<string, string>>()
  const onAnew = (): void => {
    known = new BoundedCache()
  }
  const { append, lose, startAnew } = createRecordAppender({ ...options, share }, onAnew)
  let { part } = sink
  const waiting: (() => void)[] = []
  sink.onLost(({ cluster, records, lostBefore }) => lose(cluster, records, lostBefore))

  /** Creates a record later, in the order of the calls, with the current time and request. */
  function later(cluster: string, make: (moment: Moment) => void): void {
    const moment = { at: now(), request: request?.() }
    if (waiting.length === 0) setTimeout(settleSome, GATHER_MS)
    waiting.push(() => record(cluster, () => make(moment)))
  }

  function settleSome(): void {
    const count = Math.max(AT_ONCE, Math.ceil(waiting.length * SHARE_AT_ONCE))
    for (const make of waiting.splice(0, count)) make()
    if (waiting.length > 0) setImmediate(settleSome)
  }

  function settle(): void {
    for (const make of waiting.splice(0)) make()
  }

  /** Creates a record, which is lost if that fails: it must not affect the writer of the slice. */
  function record(cluster: string, make: () => void): void {
    if (sink.part !== part) startAnew()
    part = sink.part
    try {
      make()
    } catch {
      lose(cluster, 1, 0)
    }
  }

  const knownOf = (key: ServiceKey): Map<string, string> => known.get(keyText(key)) ?? new Map()
  const keep = (key: ServiceKey, versions: Map<string, string>): void =>
    known.set(keyText(key), versions, { size: 1 + versions.size })

  /** Reports whether the records contain this version; another worker has recorded its own writes. */
  function isKnown(key: ServiceKey, slice: EndpointSlice): boolean {
    const version = knownOf(key).get(nameOf(slice))
    if (version === undefined) return false
    return version === versionOf(slice) || (sink.isShared && isSealed(slice))
  }

  function saw(moment: Moment, key: ServiceKey, slices: readonly EndpointSlice[]): void {
    const names = new Set(slices.map(nameOf))
    const gone = [...knownOf(key)].filter(([slice]) => !names.has(slice))
    const isTaken = append(key.cluster, moment, [
      ...gone.map(([slice, version]) => ({ kind: 'gone' as const, ...keyFields(key), slice, version })),
      ...slices.filter((slice) => !isKnown(key, slice)).map((slice) => snapshotOf(key, slice)),
    ])
    if (isTaken) keep(key, new Map(slices.map((slice) => [nameOf(slice), versionOf(slice)])))
  }

  function wrote(moment: Moment, key: ServiceKey, write: SliceWrite): void {
    const { before, after } = write
    const snapshot = before !== undefined && !isKnown(key, before) ? [snapshotOf(key, before)] : []
    if (!append(key.cluster, moment, [...snapshot, writeRecordOf(key, write)])) return
    const versions = knownOf(key)
    if (after !== undefined) versions.set(nameOf(after), versionOf(after))
    else if (before !== undefined) versions.delete(nameOf(before))
    keep(key, versions)
  }

  function gone(moment: Moment, key: ServiceKey, slice: string): void {
    const versions = knownOf(key)
    const version = versions.get(slice)
    if (version === undefined) return
    append(key.cluster, moment, [{ kind: 'gone', ...keyFields(key), slice, version }])
    versions.delete(slice)
  }

  function sent(moment: Moment, key: SentKey): void {
    const { about, count, ages, bytes, seen, lane, trigger, pods } = key
    const details = { about, count, ages, bytes, seen, lane, trigger, pods }
    append(key.cluster, moment, [{ kind: 'change', ...keyFields(key), ...details }])
  }

  return {
    records: (key) => share >= 1 || placeOf(key) < share,
    saw: (key, slices) => later(key.cluster, (moment) => saw(moment, key, slices)),
    wrote: (key, write) => later(key.cluster, (moment) => wrote(moment, key, write)),
    gone: (key, slice) => later(key.cluster, (moment) => gone(moment, key, slice)),
    failed: (key) => later(key.cluster, () => known.delete(keyText(key))),
    sent: (key) => later(key.cluster, (moment) => sent(moment, key)),
    settle,
  }
}

/** Returns the position of the Service in the hash space, from 0 to below 1. */
const placeOf = (key: ServiceKey): number => hash('sha256', keyText(key), 'buffer').readUInt32BE(0) / 2 ** 32

/** Returns a recorder that forwards to several others; each receives only the Services that it records. */
export function combineRecorders(...recorders: readonly Recorder[]): Recorder {
  const forEachOf = (key: ServiceKey, how: (one: Recorder) => void): void => {
    for (const one of recorders) if (one.records(key)) how(one)
  }
  return {
    records: (key) => recorders.some((one) => one.records(key)),
    saw: (key, slices) => forEachOf(key, (one) => one.saw(key, slices)),
    wrote: (key, write) => forEachOf(key, (one) => one.wrote(key, write)),
    gone: (key, slice) => forEachOf(key, (one) => one.gone(key, slice)),
    failed: (key) => forEachOf(key, (one) => one.failed(key)),
    sent: (key) => forEachOf(key, (one) => one.sent(key)),
  }
}

/** Time and invocation of a recorded event. */
interface Moment {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Id of the invocation at that time. */
  readonly request: string | undefined
}

/**
 * Appends records to a sink. The first record of a cluster in each part is a start record; after a loss, a
 * record with the number of lost records comes first.
 * @param onAnew called before records are lost: afterwards no slice counts as recorded
 */
function createRecordAppender(
  { sink, worker, share, settings, onLost }: RecorderOptions & { readonly share: number },
  onAnew: () => void,
) {
  const started = new Set<string>()
  /** Clusters that were started at all, in whatever part. */
  const known = new Set<string>()
  /** Lost records that are not yet reported, by cluster. */
  const lost = new Map<string, number>()

  function lose(cluster: string, records: number, lostBefore: number): void {
    lost.set(cluster, (lost.get(cluster) ?? 0) + records + lostBefore)
    startAnew()
    onLost?.(records)
  }

  /** Starts every cluster again with a start record. */
  function startAnew(): void {
    onAnew()
    started.clear()
  }

  /** @returns whether the sink accepted them */
  function append(cluster: string, moment: Moment, contents: readonly Content[]): boolean {
    if (contents.length === 0) return true
    const records = contents.length
    const lostBefore = lost.get(cluster) ?? 0
    const first: Content[] = []
    const isFirst = (!sink.isShared && !known.has(cluster)) || undefined
    if (!started.has(cluster)) first.push({ kind: 'start', cluster, share, settings, isFirst })
    if (lostBefore > 0) first.push({ kind: 'lost', cluster, count: lostBefore })
    const lines = linesOf(moment, [...first, ...contents])
    lost.delete(cluster)
    started.add(cluster)
    known.add(cluster)
    const isTaken = sink.append({ cluster, lines, records, lostBefore })
    if (!isTaken) lose(cluster, records, lostBefore)
    return isTaken
  }

  function linesOf({ at, request }: Moment, contents: readonly Content[]): string {
    const time = new Date(at).toISOString()
    const by = { worker, request }
    const head = ({ kind }: Content): object => ({ v: RECORD_VERSION, kind, time })
    return contents.map((content) => `${JSON.stringify({ ...head(content), ...content, ...by })}\n`).join('')
  }

  return { append, lose, startAnew }
}
