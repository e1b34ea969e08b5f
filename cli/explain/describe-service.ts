import { SOURCES } from '../../shared/changes/index.ts'
import {
  type EndpointExplanation,
  type HintExplanation,
  type HintMode,
  IN_TREE_CONTROLLER,
} from '../../shared/endpointslice/index.ts'
import { printable } from '../../shared/telemetry/index.ts'
import { columns, counted, labelled } from '../terminal/index.ts'
import { describeEndpoints } from './describe-endpoints.ts'
import { describeSlices } from './describe-slices.ts'
import type { ManagerReport, ServiceReport } from './report.ts'

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
