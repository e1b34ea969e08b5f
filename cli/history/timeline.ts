import { portSetKey } from '../../shared/endpointslice/index.ts'
import {
  type ChangeRecord,
  type Continuity,
  createReplay,
  type GoneRecord,
  type LostRecord,
  type RecordingLine,
  type Replay,
  type ReplayedSlice,
  type SnapshotRecord,
  type WriteRecord,
} from '../../shared/recording/index.ts'
import { eventsOfSnapshot, eventsOfWrite, taken } from './endpoint-events.ts'
import type {
  EndpointEvent,
  FoundEntry,
  GoneEntry,
  HistoryEntry,
  LostEntry,
  SentEntry,
  WriteEntry,
} from './entry.ts'

/** Filter of a timeline; without any field, all of it is wanted. */
export interface TimelineFilter {
  readonly address?: string
  readonly pod?: string
  /** Milliseconds since the epoch: the first time that is wanted, and the last one. */
  readonly since?: number
  readonly until?: number
}

/**
 * Yields the history of a Service's endpoints and slices, as data; {@link describeEntry} makes text of it.
 * @param lines of one Service in the order of time, from its first record, even if `since` is later
 */
export async function* timelineOf(
  lines: AsyncIterable<RecordingLine>,
  filter: TimelineFilter = {},
): AsyncGenerator<HistoryEntry> {
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = filter
  const replay = createReplay()
  for await (const line of lines) {
    const time = Date.parse(line.time)
    if (time > until) continue
    for (const entry of entriesOf(line, replay)) {
      const wanted = filtered(entry, filter)
      if (wanted !== undefined && time >= since) yield wanted
    }
  }
}

function entriesOf(line: RecordingLine, replay: Replay): readonly HistoryEntry[] {
  switch (line.kind) {
    case 'write':
      return writeEntries(line, replay)
    case 'snapshot':
      return foundEntries(line, replay)
    case 'gone':
      return goneEntries(line, replay)
    case 'change':
      return [sentEntry(line)]
    case 'lost':
      replay.interrupt(line)
      return [lostEntry(line)]
    case 'start':
      replay.interrupt(line)
      return []
  }
}

/** Lists the entries of a write. A known slice that is created again was deleted without a record. */
function writeEntries(record: WriteRecord, replay: Replay): readonly HistoryEntry[] {
  const known = record.action === 'create' ? replay.find(record) : undefined
  const continuity = replay.apply(record)
  if (known === undefined || continuity === 'old') return [writeEntry(record, replay, continuity)]
  return [goneEntry(record, known), writeEntry(record, replay, 'first')]
}

function writeEntry(record: WriteRecord, replay: Replay, continuity: Continuity): WriteEntry {
  const others = record.came.length === 0 ? [] : siblingsOf(record, replay)
  const { slice, action, addressType, versionBefore, versionAfter, ports } = record
  const { trigger, message, sync, hold, fights } = record
  return {
    ...headOf('Write', record),
    ...{ slice, action, addressType, versionBefore, versionAfter, ports },
    endpoints: eventsOfWrite(record, others),
    ...{ trigger, message, sync, hold, fights },
    ...(continuity === 'gap' && { isGap: true }),
  }
}

function siblingsOf({ slice, ...of }: WriteRecord, replay: Replay): ReplayedSlice[] {
  const own = replay.find({ ...of, slice })
  if (own === undefined) return []
  const ports = portSetKey(own.ports)
  return replay
    .slices()
    .filter((other) => other !== own && other.addressType === own.addressType)
    .filter((other) => portSetKey(other.ports) === ports)
}

/** Lists what was found in a slice; nothing if the slice is as it is known to be. */
function foundEntries(record: SnapshotRecord, replay: Replay): readonly FoundEntry[] {
  const known = replay.find(record)
  const continuity = replay.apply(record)
  if (continuity === 'next' || continuity === 'old') return []
  const endpoints = eventsOfSnapshot(record, known)
  if (known !== undefined && endpoints.length === 0) return []
  const { slice, version: sliceVersion } = record
  const { length: count } = record.endpoints
  const knownVersion = known?.version
  return [{ ...headOf('Found', record), slice, sliceVersion, knownVersion, count, endpoints }]
}

/** Lists a slice that is gone; nothing if the slice was not known. */
function goneEntries(record: GoneRecord, replay: Replay): readonly GoneEntry[] {
  const known = replay.find(record)
  return replay.apply(record) === 'old' || known === undefined ? [] : [goneEntry(record, known)]
}

const goneEntry = (
  record: GoneRecord | WriteRecord,
  { slice, version, endpoints }: ReplayedSlice,
): GoneEntry => ({
  ...headOf('Gone', record),
  slice,
  sliceVersion: version,
  endpoints: endpoints.map(taken),
})

function sentEntry(record: ChangeRecord): SentEntry {
  const { about, count, lane, trigger, pods } = record
  return { ...headOf('Sent', record), about, count, lane, trigger, pods }
}

const lostEntry = (record: LostRecord): LostEntry => ({ ...headOf('Lost', record), count: record.count })

type Head<Kind> = Pick<HistoryEntry, 'version' | 'time' | 'worker' | 'request'> & { readonly kind: Kind }

function headOf<Kind extends HistoryEntry['kind']>(
  kind: Kind,
  { time, worker, request }: RecordingLine,
): Head<Kind> {
  return { version: 1, kind, time, worker, request }
}

/** Returns the part of an entry that is wanted. A record of what may be missing is always wanted. */
function filtered(entry: HistoryEntry, { address, pod }: TimelineFilter): HistoryEntry | undefined {
  if ((address === undefined && pod === undefined) || entry.kind === 'Lost') return entry
  if (entry.kind === 'Sent')
    return address === undefined && entry.pods?.includes(pod ?? '') ? entry : undefined
  const isWanted = (event: EndpointEvent): boolean =>
    (address === undefined || event.addresses.includes(address)) && (pod === undefined || event.pod === pod)
  const endpoints = entry.endpoints.filter(isWanted)
  return endpoints.length === 0 ? undefined : { ...entry, endpoints }
}
