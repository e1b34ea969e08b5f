import { type KeyText, keyFields, keyText, type ServiceKey } from '../../../shared/changes/index.ts'
import { type Endpoint, parseIp } from '../../../shared/endpointslice/index.ts'
import type { RecordingLine } from '../../../shared/recording/index.ts'
import type { RecordedEvent, SubjectReport } from '../../explain/index.ts'
import {
  describeEntry,
  type EndpointEvent,
  type HistoryEntry,
  inOrder,
  ofService,
  openRecording,
  timelineOf,
} from '../../history/index.ts'
import { printProblem } from '../../output/print-report.ts'

/**
 * Lists the recorded events of the subject by time, independent of the current state of the clusters. The
 * recordings are read once to find its Services, and once for each of them.
 * @throws HistoryError when a source cannot be read
 */
export async function recordedEvents(
  from: readonly string[],
  report: SubjectReport,
): Promise<RecordedEvent[]> {
  const traces = newTraces(report)
  const keys = new Map<KeyText, ServiceKey>()
  for await (const line of openRecording({ from, isReadAgain: true, onProblem: printProblem })) {
    if (!isAbout(line, traces)) continue
    keys.set(keyText(line), keyFields(line))
  }
  const events: RecordedEvent[] = []
  for (const key of keys.values()) {
    const lines = inOrder(ofService(openRecording({ from, onProblem: () => undefined }), key))
    for await (const entry of timelineOf(lines)) events.push(...eventsOf(entry, key, traces))
  }
  return events.sort((a, b) => Date.parse(a.time) - Date.parse(b.time))
}

/** What a subject is known by in records. */
interface Traces {
  readonly subject: SubjectReport['subject']
  /** Names of its Pods; more are found on the way. */
  readonly pods: Set<string>
  /** Addresses that endpoints without a Pod are known by. */
  readonly addresses: ReadonlySet<string>
}

function newTraces({ subject, objects }: SubjectReport): Traces {
  const pods = objects.flatMap(({ kind, name }) => (kind === 'Pod' ? [name] : []))
  const addresses = objects.flatMap((object) => object.addresses)
  if (subject.kind === 'Address') return { subject, pods: new Set(), addresses: new Set([subject.name]) }
  return {
    subject,
    pods: new Set(subject.kind === 'Pod' ? [subject.name] : pods),
    addresses: new Set(addresses),
  }
}

type OfService = Exclude<RecordingLine, { readonly kind: 'start' | 'lost' }>

function isAbout(line: RecordingLine, traces: Traces): line is OfService {
  if (line.kind === 'snapshot') return line.endpoints.some((endpoint) => isMatch(endpoint, traces))
  if (line.kind !== 'write') return false
  const went = line.went.map(({ endpoint }) => endpoint)
  // Each of them is compared, as each may be another Pod of a Node.
  const matches = [...line.came, ...went].filter((endpoint) => isMatch(endpoint, traces))
  return matches.length > 0
}

function isMatch({ addresses, targetRef, nodeName }: Endpoint, { subject, pods, addresses: known }: Traces) {
  const pod = targetRef?.kind === 'Pod' ? targetRef.name : undefined
  if (subject.kind === 'Node' && nodeName === subject.name && pod !== undefined) pods.add(pod)
  if (subject.kind === 'Pod' && isOtherNamespace(subject.namespace, targetRef?.namespace)) return false
  if (pod !== undefined && subject.kind !== 'Address') return pods.has(pod)
  return addresses.some((address) => known.has(canonical(address)))
}

const isOtherNamespace = (wanted: string | undefined, namespace: string | undefined): boolean =>
  wanted !== undefined && namespace !== undefined && wanted !== namespace

const canonical = (address: string): string => parseIp(address)?.text ?? address

function isEventOf({ pod, addresses }: EndpointEvent, { subject, pods, addresses: known }: Traces): boolean {
  if (pod !== undefined && subject.kind !== 'Address') return pods.has(pod)
  return addresses.some((address) => known.has(canonical(address)))
}

function eventsOf(entry: HistoryEntry, key: ServiceKey, traces: Traces): RecordedEvent[] {
  if (entry.kind === 'Sent' || entry.kind === 'Lost') return []
  const own = entry.endpoints.filter((event) => isEventOf(event, traces))
  return own.map((event) => ({
    time: entry.time,
    ...key,
    slice: entry.slice,
    event: event.event,
    addresses: event.addresses,
    pod: event.pod,
    cause: event.event === 'Left' ? event.cause : undefined,
    worker: entry.worker,
    text: textOf(entry, event),
  }))
}

/** Describes one event of an entry in a line, in the words of `history`. */
function textOf(
  entry: Exclude<HistoryEntry, { readonly kind: 'Sent' | 'Lost' }>,
  event: EndpointEvent,
): string {
  const lines = describeEntry({ ...entry, endpoints: [event] })
  if (entry.kind === 'Write') return lines[0] ?? ''
  return lines.map((line) => line.trim()).join(': ')
}
