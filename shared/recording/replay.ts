import { compareVersions, type Endpoint, type EndpointPort } from '../endpointslice/index.ts'
import { endpointsAfter } from './format/endpoint-changes.ts'
import { RecordingError } from './format/errors.ts'
import type { GoneRecord, LostRecord, SnapshotRecord, StartRecord, WriteRecord } from './format/record.ts'

/** A record about a slice. */
type SliceRecord = SnapshotRecord | GoneRecord | WriteRecord

/** A slice reconstructed from a recording. */
export interface ReplayedSlice {
  readonly cluster: string
  readonly namespace: string
  readonly service: string
  readonly slice: string
  readonly version: string
  /** RFC 3339 time at which it got this version, or was read in it. */
  readonly time: string
  readonly addressType: string
  readonly ports: readonly EndpointPort[]
  readonly endpoints: readonly Endpoint[]
  /** False if records are missing: endpoints may be wrong, or it is deleted, until the next snapshot. */
  readonly isCertain: boolean
}

/**
 * Relation of a record to earlier ones: it is the `first` of its slice, the `next` one, after a `gap`
 * (somebody else wrote in between, or records are missing), or `old`: a later record was already applied.
 */
export type Continuity = 'first' | 'next' | 'gap' | 'old'

type SliceName = Pick<ReplayedSlice, 'cluster' | 'namespace' | 'slice'>

export type Replay = ReturnType<typeof createReplay>

/** Maximum milliseconds by which records of several workers are out of order. */
const OUT_OF_ORDER_MS = 60_000

/**
 * Applies records of slices one after the other, to reconstruct what was published after the last of them.
 * Records of several workers may be slightly out of order; versions decide. An older version that comes much
 * later is from a server that was restored from a backup, and is applied.
 */
export function createReplay() {
  const slices = new Map<string, ReplayedSlice>()
  /** Last versions of deleted slices: an old record must not bring them back. */
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

  /** Reports whether a record is a snapshot of already known content, including its time. */
  const isConfirmed = (record: SliceRecord, continuity: Continuity): boolean =>
    record.kind === 'snapshot' && continuity === 'next' && slices.get(keyOf(record))?.isCertain === true

  return {
    /** Applies one more record. An `old` record changes nothing. */
    apply(record: SliceRecord): Continuity {
      const continuity = continuityOf(record)
      if (continuity === 'old' || isConfirmed(record, continuity)) return continuity
      const key = keyOf(record)
      if (record.kind === 'gone' || (record.kind === 'write' && record.action === 'delete')) {
        slices.delete(key)
        gone.set(key, { version: versionsOf(record).after, time: record.time })
      } else slices.set(key, stateAfter(slices.get(key), record, continuity))
      return continuity
    },
    /** Makes the slices of a cluster uncertain: records are lost, or none were made for a while. */
    interrupt(record: StartRecord | LostRecord): void {
      if (record.kind === 'start' && !record.isFirst) return
      const { cluster } = record
      for (const [key, slice] of slices)
        if (slice.cluster === cluster) slices.set(key, { ...slice, isCertain: false })
    },
    find: (name: SliceName): ReplayedSlice | undefined => slices.get(keyOf(name)),
    /** Returns the existing slices, sorted by cluster, namespace and name. */
    slices: (): ReplayedSlice[] => [...slices].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, slice]) => slice),
  }
}

const keyOf = ({ cluster, namespace, slice }: SliceName): string =>
  JSON.stringify([cluster, namespace, slice])

function versionsOf(record: SliceRecord): { before: string | undefined; after: string } {
  if (record.kind !== 'write') return { before: record.version, after: record.version }
  const { versionBefore: before, versionAfter } = record
  return { before, after: versionAfter ?? before ?? '' }
}

/** Returns the slice after a write; if it does not follow the known version, by what it states alone. */
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
