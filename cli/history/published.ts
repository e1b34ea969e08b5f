import { keyFields, type ServiceKey } from '../../shared/changes/index.ts'
import type { Endpoint } from '../../shared/endpointslice/index.ts'
import { createReplay, type RecordingLine, type ReplayedSlice } from '../../shared/recording/index.ts'
import { printable } from '../../shared/telemetry/index.ts'
import { columns, conditionsText, counted } from '../terminal/index.ts'

/** What `sliceflow history --at TIME -o json` prints. Fields are only added to a version. Times: RFC 3339. */
interface PublishedReport extends ServiceKey {
  readonly version: 1
  readonly at: string
  /** Time of the Service's last record before that time; absent if there is none, so nothing is known. */
  readonly lastRecord?: string
  /** Slices in the order of their names. */
  readonly slices: readonly PublishedSlice[]
}

/** `time`: since when it was so. */
export type PublishedSlice = Omit<ReplayedSlice, 'cluster' | 'namespace' | 'service'>

/**
 * Returns what a Service published at a time, from its records up to then. Writes by others are recorded only
 * at the next sync.
 * @param lines of that Service, in the order of time
 * @param at milliseconds since the epoch
 */
export async function publishedAt(
  lines: AsyncIterable<RecordingLine>,
  key: ServiceKey,
  at: number,
): Promise<PublishedReport> {
  const replay = createReplay()
  let lastRecord: string | undefined
  for await (const line of lines) {
    if (Date.parse(line.time) > at) continue
    if (line.kind === 'change') continue
    if (line.kind === 'start' || line.kind === 'lost') {
      replay.interrupt(line)
      continue
    }
    replay.apply(line)
    lastRecord = line.time
  }
  return {
    version: 1,
    ...keyFields(key),
    at: new Date(at).toISOString(),
    ...(lastRecord !== undefined && { lastRecord }),
    slices: replay.slices().map(({ cluster: _, namespace: __, service: ___, ...slice }) => slice),
  }
}

/** Writes the report for people: the Service, and a table for each of its slices. */
export function describePublished(report: PublishedReport): string {
  const { cluster, namespace, service, ownerKind = 'Service', at, lastRecord, slices } = report
  const endpoints = slices.flatMap((slice) => slice.endpoints)
  const ready = endpoints.filter(({ conditions }) => conditions?.ready !== false)
  const uncertain = slices.filter(({ isCertain }) => !isCertain).length
  const published = [
    `${counted(slices.length, 'slice')}, ${counted(endpoints.length, 'endpoint')}, ${ready.length} ready`,
    ...(uncertain === 0 ? [] : [`${counted(uncertain, 'slice')} not certain`]),
  ].join('; ')
  return [
    ...columns([
      [`${ownerKind}:`, `${namespace}/${service}`],
      ['Cluster:', cluster],
      ['At:', at],
      ['Published:', lastRecord === undefined ? 'not known: the first record is later' : published],
      ...(lastRecord === undefined ? [] : [['Known by:', `records up to ${lastRecord}`]]),
    ]),
    ...slices.flatMap((slice) => ['', ...describeSlice(slice)]),
    '',
  ]
    .map(printable)
    .join('\n')
}

function describeSlice({ slice, version, time, addressType, ports, endpoints, isCertain }: PublishedSlice) {
  const numbers = ports.map(
    ({ name, port, protocol }) => `${name || '-'} ${port ?? 'all'}/${protocol ?? 'TCP'}`,
  )
  const title = `${slice}: ${addressType}, ports ${numbers.join(', ') || 'none'}, version ${version} since ${time}`
  const warning = isCertain
    ? []
    : ['  not certain, as records are missing: endpoints may be missing or too many, or the slice is gone']
  return [title, ...warning, ...columns([HEADER, ...endpoints.map(rowOf)], { indent: '  ' })]
}

const HEADER = ['ADDRESSES', 'OBJECT', 'NODE', 'ZONE', 'CONDITIONS']

const rowOf = ({ addresses, targetRef, nodeName, zone, conditions }: Endpoint): string[] => [
  addresses.join(','),
  targetRef?.name ?? '-',
  nodeName ?? '-',
  zone ?? '-',
  conditionsText(conditions),
]
