import { ownerText } from '../../../shared/changes/index.ts'
import { printable } from '../../../shared/telemetry/index.ts'
import {
  ageText,
  columns,
  conditionsText,
  counted,
  labelled,
  type Row,
  tableWithNotes,
} from '../../terminal/index.ts'
import type {
  NodeReport,
  ObjectReport,
  PublicationOutcome,
  PublicationReport,
  ReadyReport,
  RecordedEvent,
  SubjectReport,
} from './report.ts'

/** Events of a recording that are shown; `-o json` has all of them. */
const EVENTS = 20

/** Writes the report for people. @param now in milliseconds, for ages */
export function describeSubject(report: SubjectReport, now: number): string {
  const { nodes = [], objects, recorded } = report
  return [
    ...columns(fieldsOf(report)),
    ...(nodes.length > 0 ? ['', 'Nodes:', ...describeNodes(nodes, now)] : []),
    ...(objects.length > 0 ? ['', 'Pods and addresses:', ...describeObjects(objects, now)] : []),
    ...(objects.length > 0 ? ['', 'Published by:', ...describeServices(objects, now)] : []),
    ...(recorded === undefined ? [] : ['', 'Recorded:', ...describeRecorded(recorded)]),
    ...legend(objects),
    '',
  ]
    .map(printable)
    .join('\n')
}

const LABELS = { Pod: 'Pod:', Node: 'Node:', Address: 'Address:' } as const

function fieldsOf({ subject, clusters, mode, managedBy, notes, warnings }: SubjectReport): string[][] {
  const place = subject.namespace === undefined ? '' : `${subject.namespace}/`
  return [
    [LABELS[subject.kind], subject.kind === 'Pod' ? `${place}${subject.name}` : subject.name],
    ['Asked:', `${clusters.length === 1 ? 'cluster' : 'clusters'} ${clusters.join(', ')}`],
    ['Mode:', `${mode}, managed-by ${managedBy}`],
    ...labelled('Note:', notes),
    ...labelled('Warning:', warnings),
  ]
}

function describeNodes(nodes: readonly NodeReport[], now: number): string[] {
  const rows = nodes.map(({ cluster, name, addresses, zone = '-', ready, isUnschedulable }) => [
    cluster,
    name,
    addresses.join(',') || '-',
    zone,
    `${readyText(ready, now)}${isUnschedulable ? ', cordoned' : ''}`,
  ])
  return columns([['CLUSTER', 'NODE', 'ADDRESSES', 'ZONE', 'READY'], ...rows], { indent: '  ' })
}

function readyText(ready: ReadyReport | undefined, now: number): string {
  if (ready === undefined) return '-'
  const { status, reason, since } = ready
  const word = status === 'True' ? 'yes' : status === 'False' ? 'no' : status
  const age = since === undefined ? '' : ` for ${ageText(since, now)}`
  return `${word}${age}${reason === undefined ? '' : ` (${reason})`}`
}

function describeObjects(objects: readonly ObjectReport[], now: number): string[] {
  const rows = objects.map((object) => ({
    cells: [
      object.cluster,
      nameOf(object),
      object.node ?? '-',
      object.addresses.join(',') || 'none',
      object.exists ? (object.phase ?? '-') : 'gone',
      readyText(object.ready, now),
      ageText(object.created, now),
    ],
    notes: [...object.notes, ...deletionNotes(object, now)],
  }))
  return tableWithNotes(['CLUSTER', 'NAME', 'NODE', 'ADDRESSES', 'PHASE', 'READY', 'AGE'], rows)
}

const nameOf = ({ namespace, name }: ObjectReport): string =>
  namespace === '' ? name : `${namespace}/${name}`

const deletionNotes = ({ deletion }: ObjectReport, now: number): string[] =>
  deletion === undefined
    ? []
    : [`it is being deleted: since ${ageText(deletion.since, now)}, until ${deletion.until} at the latest`]

const OUTCOMES: Readonly<Record<PublicationOutcome, string>> = {
  Published: 'published',
  Pending: 'pending',
  Leaving: 'leaving',
  LeftOut: 'left out',
  Foreign: 'not by us',
  Imported: 'imported',
  NotSelected: 'not selected',
  Unknown: 'not known',
}

const HEADER = [
  'NAME',
  'CLUSTER',
  'SERVICE',
  'STATE',
  'SLICE',
  'MANAGED BY',
  'ADDRESSES',
  'CONDITIONS',
  'SINCE',
]

/** Writes a line for each Service and slice, and below it why. */
function describeServices(objects: readonly ObjectReport[], now: number): string[] {
  const isOne = objects.length === 1
  const areOfSeveral = new Set(objects.map(({ cluster }) => cluster)).size > 1
  const titleOf = (object: ObjectReport): string =>
    `${areOfSeveral ? `${object.cluster}: ` : ''}${nameOf(object)}`
  const cellsOf = (cells: readonly string[]): string[] => (isOne ? cells.slice(1) : [...cells])
  const rows = objects.flatMap((object): Row[] => {
    const without = withoutNote(object)
    if (object.services.length === 0) {
      const cells = [titleOf(object), object.cluster, '-', 'by none', '-', '-', '-', '-', '-']
      return [{ cells: cellsOf(cells), notes: without }]
    }
    return object.services.flatMap((service) => {
      const of = [titleOf(object), service.cluster, ownerText(service)]
      const lines = sliceRows(service, now)
      const notes = [...serviceNotes(service), ...(service === object.services.at(-1) ? without : [])]
      return lines.map((cells, index) => ({
        cells: cellsOf(index === 0 ? [...of, ...cells] : ['', '', '', ...cells]),
        notes: index === lines.length - 1 ? notes : [],
      }))
    })
  })
  return tableWithNotes(cellsOf(HEADER), rows)
}

function sliceRows(service: PublicationReport, now: number): string[][] {
  const state = OUTCOMES[service.outcome]
  const since = sinceText(service, now)
  if (service.slices.length === 0) return [[state, '-', '-', '-', '-', since]]
  return service.slices.map((slice, index) => [
    index === 0 ? state : '',
    slice.name,
    slice.managedBy || '(no manager)',
    slice.addresses.join(','),
    conditionsText(slice),
    index === 0 ? since : '',
  ])
}

function sinceText({ since }: PublicationReport, now: number): string {
  if (since === undefined) return '-'
  const age = ageText(since.time, now)
  return since.by === 'Recording' ? age : `at least ${age}`
}

function serviceNotes({ reasons, warnings, fleet }: PublicationReport): string[] {
  const arrivals = fleet?.arrivals.map(
    ({ cluster, outcome, reasons: why }) =>
      `cluster set ${fleet.clusterSet}, in ${cluster}: ${OUTCOMES[outcome]}${why.length === 0 ? '' : `, ${why.join('; ')}`}`,
  )
  return [...reasons, ...warnings, ...(fleet?.notes ?? []), ...(arrivals ?? [])]
}

function withoutNote({ kind, services, furtherServices }: ObjectReport): string[] {
  const isSelected = services.some(({ outcome }) => outcome !== 'NotSelected')
  if (kind === 'Address' || furtherServices === 0 || isSelected) return []
  const others = services.length === 0 ? 'Service' : 'further Service'
  return [`the selectors of ${counted(furtherServices, others)} of its namespace do not match its labels`]
}

function describeRecorded(events: readonly RecordedEvent[]): string[] {
  if (events.length === 0) return ['  nothing: the recording has no event of it']
  const earlier = events.length - EVENTS
  return [
    ...(earlier > 0 ? [`  … ${counted(earlier, 'earlier event')}: -o json has them`] : []),
    ...columns(
      events.slice(-EVENTS).map((event) => [event.time, event.cluster, ownerText(event), event.text]),
      { indent: '  ' },
    ),
  ]
}

const LEGEND: Readonly<Partial<Record<PublicationOutcome, string>>> = {
  Pending: 'pending: it is to be published, but its slice does not have it yet',
  Leaving: 'leaving: a slice has it, and the next write takes it out',
  Foreign: 'not by us: slices have it that Sliceflow does not write',
}

/** Explains words of the lists that need it, if they occur there. */
function legend(objects: readonly ObjectReport[]): string[] {
  const services = objects.flatMap((object) => object.services)
  const outcomes = new Set(services.map(({ outcome }) => outcome))
  const isRough = services.some(({ since }) => since?.by === 'Slice')
  const lines = [
    ...Object.entries(LEGEND).flatMap(([outcome, text]) =>
      outcomes.has(outcome as PublicationOutcome) ? [text] : [],
    ),
    ...(isRough
      ? ['at least: the time since the last write of its slice; a recording (--from FILE) has the exact one']
      : []),
  ]
  return lines.length === 0 ? [] : ['', ...lines]
}
