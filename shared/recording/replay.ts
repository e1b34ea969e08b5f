import { compareVersions, type Endpoint, type EndpointPort } from '../endpointslice/index.ts'
import { endpointsAfter } from './endpoint-changes.ts'
import { RecordingError } from './errors.ts'
import type { GoneRecord, SnapshotRecord, WriteRecord } from './record.ts'

/** Record that tells of a slice. */
export type SliceRecord = SnapshotRecord | GoneRecord | WriteRecord

/** A slice as a recording gives it. */
export interface ReplayedSlice {
  readonly cluster: string
  readonly namespace: string
  readonly service: string
  readonly slice: string
  readonly version: string
  /** Time at which it got this version, or was read in it. RFC 3339. */
  readonly time: string
  readonly addressType: string
  readonly ports: readonly EndpointPort[]
  readonly endpoints: readonly Endpoint[]
  /**
   * False where records are missing: endpoints may be missing or too many, or the slice is gone. A snapshot
   * makes it certain again.
   */
  readonly isCertain: boolean
}

/**
 * Relation of a record to those before it: it is the `first` of its slice, the `next` one, behind a `gap`
 * (somebody else wrote in between, or records are missing), or `old`: a later one was there already.
 */
export type Continuity = 'first' | 'next' | 'gap' | 'old'

type SliceName = Pick<ReplayedSlice, 'cluster' | 'namespace' | 'slice'>

export interface Replay {
  /** Takes in one more record. What is `old` changes nothing. */
  apply(record: SliceRecord): Continuity
  /** Doubts what is known of a cluster's slices, as records of it are lost. */
  doubt(cluster: string): void
  find(name: SliceName): ReplayedSlice | undefined
  /** Returns the slices that are there, in the order of cluster, namespace and name. */
  slices(): ReplayedSlice[]
}

/** Records of several workers are no further out of order than that. */
const OUT_OF_ORDER_MS = 60_000

/**
 * Plays records of slices one after the other: what it then has is what was published after the last of them.
 * Records of several workers may come somewhat out of order; versions tell. An older version that comes much
 * later is of a server that was restored from a backup, and counts.
 */
export function createReplay(): Replay {
  const slices = new Map<string, ReplayedSlice>()
  /** The last versions of slices that are gone: an old record must not bring them back. */
  const gone = new Map<string, Pick<ReplayedSlice, 'version' | 'time'>>()

  function continuityOf(record: SliceRecord): Continuity {
    const key = keyOf(record)
    const { before, after } = versionsOf(record)
    const known = slices.get(key)
    if (known !== undefined && known.version === before) return 'next'
    const newest = known ?? gone.get(key)
    const isOlder = newest !== undefined && compareVersions(newest.version, after) >= 0
    if (isOlder && Date.parse(record.time) - Date.parse(newest.time) <= OUT_OF_ORDER_MS) return 'old'
    const isWhole = record.kind === 'snapshot' || (record.kind === 'write' && record.action === 'create')
    return known === undefined && isWhole ? 'first' : 'gap'
  }

  /** Reports whether a record is a snapshot of what is known anyway, the time of it included. */
  const isConfirmed = (record: SliceRecord, continuity: Continuity): boolean =>
    record.kind === 'snapshot' && continuity === 'next' && slices.get(keyOf(record))?.isCertain === true

  return {
    apply(record) {
      const continuity = continuityOf(record)
      if (continuity === 'old' || isConfirmed(record, continuity)) return continuity
      const key = keyOf(record)
      if (record.kind === 'gone' || (record.kind === 'write' && record.action === 'delete')) {
        slices.delete(key)
        gone.set(key, { version: versionsOf(record).after, time: record.time })
      } else slices.set(key, stateAfter(slices.get(key), record, continuity))
      return continuity
    },
    doubt(cluster) {
      for (const [key, slice] of slices)
        if (slice.cluster === cluster) slices.set(key, { ...slice, isCertain: false })
    },
    find: (name) => slices.get(keyOf(name)),
    slices: () => [...slices].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, slice]) => slice),
  }
}

const keyOf = ({ cluster, namespace, slice }: SliceName): string =>
  JSON.stringify([cluster, namespace, slice])

function versionsOf(record: SliceRecord): { before: string | undefined; after: string } {
  if (record.kind !== 'write') return { before: record.version, after: record.version }
  const { versionBefore: before, versionAfter } = record
  return { before, after: versionAfter ?? before ?? '' }
}

/**
 * Returns the slice after a write. Of a write that does not follow from what is known, what it says for
 * certain is taken, and the rest is kept.
 */
function stateAfter(
  known: ReplayedSlice | undefined,
  record: SnapshotRecord | WriteRecord,
  continuity: Continuity,
): ReplayedSlice {
  const { cluster, namespace, service, slice, time, addressType } = record
  const { after: version } = versionsOf(record)
  const common = { cluster, namespace, service, slice, version, time, addressType }
  if (record.kind === 'snapshot') {
    const { ports, endpoints } = record
    return { ...common, ports, endpoints, isCertain: true }
  }
  const { action, came, ports = known?.ports ?? [] } = record
  if (action === 'create') return { ...common, ports, endpoints: came, isCertain: true }
  const before = known?.endpoints ?? []
  const endpoints = tryEndpointsAfter(before, record)
  const isCertain = endpoints !== undefined && continuity === 'next' && known?.isCertain === true
  return { ...common, ports, endpoints: endpoints ?? [...before, ...came], isCertain }
}

function tryEndpointsAfter(before: readonly Endpoint[], record: WriteRecord): Endpoint[] | undefined {
  try {
    return endpointsAfter(before, record)
  } catch (error) {
    if (error instanceof RecordingError) return undefined
    throw error
  }
}
