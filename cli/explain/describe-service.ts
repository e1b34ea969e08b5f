import { SOURCES } from '../../shared/changes/index.ts'
import {
  type EndpointDifference,
  type EndpointExplanation,
  type EndpointPlacement,
  type HintExplanation,
  type HintMode,
  IN_TREE_CONTROLLER,
  LABEL_MANAGED_BY,
  type SliceOutcome,
} from '../../shared/endpointslice/index.ts'
import { printable } from '../../shared/telemetry/index.ts'
import {
  ageText,
  columns,
  conditionsText,
  counted,
  labelled,
  type Row,
  tableWithNotes,
} from '../terminal/index.ts'
import type { ManagerReport, ServiceReport, SliceReport } from './report.ts'

/** Writes the report for people, as `kubectl describe` would. `now` is in milliseconds, for ages. */
export function describeService(report: ServiceReport, now: number): string {
  const { endpoints, slices } = report
  return [
    ...columns(fieldsOf(report)),
    ...section(endpointsTitle(report), describeEndpoints(report)),
    ...section(slices.length === 0 ? 'Slices: none' : 'Slices:', describeSlices(slices, now)),
    ...(endpoints.length + slices.length > 0 ? legend(report) : []),
    '',
  ]
    .map(printable)
    .join('\n')
}

function section(title: string, lines: readonly string[]): string[] {
  return title === '' ? [] : ['', title, ...lines]
}

function fieldsOf(report: ServiceReport): string[][] {
  const { mode, managedBy, management } = report
  return [
    [`${report.ownerKind ?? 'Service'}:`, `${report.namespace}/${report.service}`],
    ['Cluster:', report.cluster],
    ['Mode:', `${mode}, managed-by ${managedBy}`],
    ['Managed:', `${MANAGED[management.state]}: ${management.reason}`],
    ...labelled('Endpoints:', sourceLines(report)),
    ...labelled('Families:', report.addressTypes.length > 0 ? [report.addressTypes.join(', ')] : []),
    ...labelled('Hints:', hintLines(report.hints)),
    ...labelled('Slices of:', report.managers.length > 0 ? managerLines(report.managers) : ['none']),
    ...labelled('Next write:', [writesLine(report)]),
    ...labelled('Warning:', [...report.warnings, ...report.problems]),
  ]
}

const MANAGED = {
  Managed: 'yes',
  Unmanaged: 'no',
  Invalid: 'no, though it asks for it',
  Paused: 'yes, but paused',
  Unread: 'yes, but its pods cannot be read',
  Absent: 'no',
} as const

function sourceLines({ source, cluster, namespace }: ServiceReport): string[] {
  if (source === undefined) return []
  const explained = SOURCES.find((each) => each.explained?.kind === source.kind)?.explained
  if (explained !== undefined) return [explained.endpoints]
  const isHere = source.cluster === cluster
  const { clusters = [source.cluster] } = source
  const places = [
    ...(source.namespace === namespace && isHere ? [] : [`namespace ${source.namespace}`]),
    ...(isHere ? [] : [`${clusters.length === 1 ? 'cluster' : 'clusters'} ${clusters.join(', ')}`]),
  ]
  const where = places.length > 0 ? `, in ${places.join(' of ')}` : ''
  const network = source.network === undefined ? '' : `, on the network ${source.network}`
  return [`pods with ${source.selector}${where}${network}`]
}

const MODES: Readonly<Record<HintMode, string>> = {
  topology: 'allocated to the zones by CPU',
  zone: 'each endpoint for its own zone',
  node: 'each endpoint for its own node and zone',
  none: 'none: the Service asks for none (trafficDistribution, or the annotation service.kubernetes.io/topology-mode)',
}

function hintLines(hints: readonly HintExplanation[]): string[] {
  const lines = hints.map(({ addressType, mode, problem, ready, hinted }) => {
    if (mode === 'none') return MODES.none
    const text =
      problem === undefined
        ? `${MODES[mode]}: ${hinted} of ${counted(ready, 'ready endpoint')}`
        : `none: ${problem}`
    return `${addressType}  ${text}`
  })
  return [...new Set(lines)]
}

function managerLines(managers: readonly ManagerReport[]): string[] {
  return columns(
    managers.map(({ managedBy, isOurs, slices, endpoints }) => [
      `${managedBy || '(no manager)'}${isOurs ? ' (ours)' : ''}${managedBy === IN_TREE_CONTROLLER ? ' (in-tree)' : ''}`,
      counted(slices, 'slice'),
      counted(endpoints, 'endpoint'),
    ]),
  )
}

function writesLine({ writes, management, slices, endpoints }: ServiceReport): string {
  const parts = Object.entries(writes)
    .filter(([, names]) => names.length > 0)
    .map(([verb, names]) => `${verb} ${names.join(', ')}`)
  if (parts.length > 0) return parts.join('; ')
  // Held, in a fight, or of an unreachable cluster: the warnings say why.
  if (slices.some(({ outcome }) => outcome === 'Update' || outcome === 'Delete') || isPending(endpoints))
    return 'nothing for now: see the warning'
  return management.state === 'Managed' ? 'nothing: the slices are as planned' : 'nothing'
}

const isPending = (endpoints: readonly EndpointExplanation[]): boolean =>
  endpoints.some(({ outcome }) => outcome === 'Pending')

function endpointsTitle({ endpoints, source, management }: ServiceReport): string {
  if (source === undefined || source.kind === 'Endpoints') return ''
  const noun = source.kind === 'Pods' ? 'Pods' : 'Addresses'
  const by = management.state === 'Managed' ? '' : ` (by the in-tree controller's rules, which are the same)`
  if (endpoints.length === 0) return `${noun}: none${source.kind === 'Pods' ? ' match the selector' : ''}`
  return `${noun}: ${count(endpoints, 'Published')} published, ${count(endpoints, 'Pending')} pending, ${count(endpoints, 'LeftOut')} left out${by}`
}

const count = (endpoints: readonly EndpointExplanation[], outcome: EndpointExplanation['outcome']): number =>
  endpoints.filter((endpoint) => endpoint.outcome === outcome).length

/** Explains words of the lists that need it, if they occur there. */
function legend({ endpoints }: ServiceReport): string[] {
  if (!isPending(endpoints)) return []
  return ['', 'pending: it is to be published, but its slice does not have it yet']
}

const OUTCOMES = { Published: 'published', Pending: 'pending', LeftOut: 'left out' } as const
const ENDPOINT_HEADER = ['NAME', 'STATE', 'NODE', 'ZONE', 'ADDRESSES', 'CONDITIONS', 'SLICES']

/** Writes a line for each endpoint and address type, and its notes below it. */
function describeEndpoints({ endpoints, managedBy, management, namespace, source }: ServiceReport): string[] {
  if (endpoints.length === 0) return []
  const planner = management.plannedFor ?? managedBy
  const areOfSeveral = source?.clusters !== undefined
  return tableWithNotes(
    ENDPOINT_HEADER,
    endpoints.flatMap((endpoint) => rowsOf(endpoint, { planner, namespace, areOfSeveral })),
  )
}

interface RowContext {
  readonly planner: string
  readonly namespace: string
  /** Whether the Pods are of several clusters, so that each names its cluster. */
  readonly areOfSeveral: boolean
}

function rowsOf(endpoint: EndpointExplanation, context: RowContext): Row[] {
  const notes = endpoint.reasons.map(({ message }) => message)
  const { kind, outcome, nodeName = '-', zone = '-', published } = endpoint
  const isOwn = kind === 'Address' || endpoint.namespace === context.namespace
  const place = context.areOfSeveral ? `${endpoint.cluster ?? '-'}: ` : ''
  const name = place + (isOwn ? endpoint.name : `${endpoint.namespace}/${endpoint.name}`)
  const first = [name, OUTCOMES[outcome], nodeName, zone]
  if (published.length === 0) return [{ cells: [...first, '-', '-', '-'], notes }]
  return published.map((placement, index) => ({
    cells: [
      ...(index === 0 ? first : ['', '', '', '']),
      placement.addresses.join(','),
      conditionsText(placement),
      slicesOf(placement, context.planner),
    ],
    notes: index === published.length - 1 ? notes : [],
  }))
}

/** Names the slice that has the endpoint, and the planned one if that is another. */
function slicesOf({ slices, plannedSlice }: EndpointPlacement, planner: string): string {
  const names = slices.map(({ name, managedBy }) =>
    managedBy === planner ? name : `${name} (${managedBy || 'no manager'})`,
  )
  const isThere = slices.some(({ name }) => name === plannedSlice)
  return [...names, ...(plannedSlice === undefined || isThere ? [] : [`→ ${plannedSlice}`])].join(', ') || '-'
}

const SLICE_HEADER = [
  'NAME',
  'MANAGED BY',
  'TYPE',
  'PORTS',
  'ENDPOINTS',
  'READY',
  'HINTED',
  'AGE',
  'CHANGE',
  'STATE',
]
const SLICE_OUTCOMES: Readonly<Record<SliceOutcome, string>> = {
  AsPlanned: 'as planned',
  Update: 'to be updated',
  Delete: 'to be deleted',
  BeingDeleted: 'being deleted',
  Foreign: 'not ours',
  Malformed: 'cannot be read',
}
/** Differences shown of one slice; `-o json` has all of them. */
const DIFFERENCES = 10

/** Writes a line for each slice, below it why it is not as planned and who edited it. `now`: milliseconds. */
function describeSlices(slices: readonly SliceReport[], now: number): string[] {
  if (slices.length === 0) return []
  return tableWithNotes(
    SLICE_HEADER,
    slices.map((slice) => ({ cells: cellsOf(slice, now), notes: notesOf(slice, now) })),
  )
}

const cellsOf = (slice: SliceReport, now: number): string[] => [
  slice.name,
  slice.managedBy || `(no label ${LABEL_MANAGED_BY})`,
  slice.addressType,
  slice.ports.join(', ') || '-',
  String(slice.endpoints),
  String(slice.ready),
  String(slice.hinted),
  ageText(slice.created, now),
  ageText(slice.triggerTime, now),
  SLICE_OUTCOMES[slice.outcome],
]

function notesOf(slice: SliceReport, now: number): string[] {
  const { reasons, differences } = slice
  const shown = differences.slice(0, DIFFERENCES).map(differenceText)
  const more = differences.length - shown.length
  return [...reasons, ...shown, ...(more > 0 ? [`… and ${more} more`] : []), ...sealNotes(slice, now)]
}

function differenceText({ kind, endpoint, expected, actual }: EndpointDifference): string {
  if (kind === 'missing') return `will get ${named(endpoint, expected)}`
  if (kind === 'unexpected' || kind === 'duplicate') return `will lose ${named(endpoint, actual)}`
  return `${endpoint}: ${kind} is ${actual || 'not set'}, will be ${expected || 'not set'}`
}

/** Adds the endpoint's name to a text. A text about no object begins with its addresses already. */
const named = (endpoint: string, text: string): string =>
  text.startsWith(`${endpoint} `) ? text : `${endpoint}: ${text}`

function sealNotes({ seal, lastWrite }: SliceReport, now: number): string[] {
  const who =
    lastWrite === undefined
      ? 'an unknown client'
      : `${lastWrite.manager} (${ageText(lastWrite.time, now)} ago)`
  if (seal === 'Edited') return [`edited since we wrote it, last by ${who}`]
  if (seal === 'Absent')
    return [`without our seal: written by an older version or by another client, last by ${who}`]
  return []
}
