import type { Condition } from '../../../shared/fleet/index.ts'
import { printable } from '../../../shared/telemetry/index.ts'
import { ageText, columns, conditionsText, labelled, tableWithNotes } from '../../terminal/index.ts'
import { ownNotes, policyText, servingNotes } from './policy.ts'
import type {
  Arrival,
  ArrivalOutcome,
  ExportReport,
  ExportState,
  FleetEndpoint,
  FleetReport,
  ImportReport,
  ImportState,
  WriteReport,
} from './report.ts'

/** Writes the report for people, as `kubectl describe` would. `now` is in milliseconds, for ages. */
export function describeFleetService(report: FleetReport, now: number): string {
  const { exports, imports, endpoints } = report
  return [
    ...columns(fieldsOf(report)),
    ...(exports.length > 0 ? ['', 'Exports:', ...describeExports(exports, now)] : []),
    ...(imports.length > 0 ? ['', 'Imports:', ...describeImports(imports)] : []),
    '',
    ...(endpoints.length > 0 ? describeEndpoints(report) : ['Endpoints: none']),
    '',
  ]
    .map(printable)
    .join('\n')
}

/** Lists labels and values; a further value of the same label has an empty one. */
function fieldsOf({ clusterSet, namespace, service, merged, warnings }: FleetReport): string[][] {
  const imported =
    merged === undefined
      ? 'nothing: no cluster has a valid export'
      : `${merged.type}, ${merged.ports.join(', ') || 'without ports'}`
  return [
    ['Service:', `${namespace}/${service}`],
    ['Cluster set:', clusterSet],
    ['Imported:', imported],
    ...(merged && merged.clusters.length > 1
      ? [['Wins:', `${merged.clusters[0]}, the oldest of ${merged.clusters.length} exports`]]
      : []),
    ...(merged?.policy ? [['Policy:', policyText(merged.policy)]] : []),
    ...labelled('Warning:', warnings),
  ]
}

const EXPORTS: Readonly<Record<ExportState, string>> = {
  Exported: 'exported',
  Invalid: 'not valid',
  Absent: 'no',
  None: 'no',
  Unserved: 'no',
  Unread: 'not known',
}

const IMPORTS: Readonly<Record<ImportState, string>> = {
  Imported: 'imported',
  Pending: 'to be written',
  Blocked: 'blocked',
  Absent: 'no',
  None: 'no',
  Unserved: 'no',
  Unread: 'not known',
}

function describeExports(exports: readonly ExportReport[], now: number): string[] {
  const rows = exports.map((one) => ({
    cells: [
      one.cluster,
      `${EXPORTS[one.state]}${one.wins ? ', wins' : ''}`,
      ageText(one.created, now),
      one.conditions.map(({ type, status }) => `${type}=${status}`).join(' ') || '-',
    ],
    notes: notesOf(one),
  }))
  return tableWithNotes(['CLUSTER', 'EXPORT', 'AGE', 'CONDITIONS'], rows)
}

/** Lists the conditions that need attention, in words. */
function notesOf({ state, reason, conditions, areConditionsWritten }: ExportReport): string[] {
  const worthReading = ({ type, status }: Condition): boolean => (type === 'Conflict') === (status === 'True')
  return [
    ...(state === 'Exported' ? [] : [reason]),
    ...conditions
      .filter((condition) => worthReading(condition) && condition.message !== reason)
      .map(({ type, reason, message }) => `${type}, ${reason}: ${message}`),
    ...(areConditionsWritten ? [] : ['its conditions do not say so yet: a reconcile would write them']),
  ]
}

function describeImports(imports: readonly ImportReport[]): string[] {
  const rows = imports.map((one) => ({
    cells: [
      one.cluster,
      IMPORTS[one.state],
      one.ips.join(',') || '-',
      one.derivedService ?? '-',
      one.sources.map(({ cluster, endpoints, ready }) => `${cluster} ${ready}/${endpoints}`).join(', ') ||
        '-',
    ],
    notes: [
      ...(one.state === 'Imported' ? [] : [one.reason]),
      ...ownNotes(one),
      ...servingNotes(one),
      ...(one.writes.length > 0 ? [`next write: ${one.writes.map(writeText).join('; ')}`] : []),
    ],
  }))
  return tableWithNotes(['CLUSTER', 'IMPORT', 'ADDRESS', 'DERIVED SERVICE', 'READY ENDPOINTS OF'], rows)
}

/** Writes such as `update ServiceImport web (status)`. */
export const writeText = ({ verb, kind, name, subresource }: WriteReport): string =>
  `${verb} ${kind} ${name}${subresource === undefined ? '' : ` (${subresource})`}`

const ENDPOINT_HEADER = ['CLUSTER', 'NAME', 'ADDRESSES', 'ZONE', 'CONDITIONS', 'ARRIVES IN']

/** Writes a line for each endpoint, and below it where it does not arrive, and why. */
function describeEndpoints({ endpoints }: FleetReport): string[] {
  const rows = endpoints.map((endpoint) => ({ cells: cellsOf(endpoint), notes: arrivalNotes(endpoint) }))
  return [titleOf(endpoints), ...tableWithNotes(ENDPOINT_HEADER, rows)]
}

function titleOf(endpoints: readonly FleetEndpoint[]): string {
  const arrivals = endpoints.map((endpoint) => endpoint.arrivals.map(({ outcome }) => outcome))
  const everywhere = arrivals.filter(
    (all) => all.length > 0 && all.every((one) => one === 'Published'),
  ).length
  const nowhere = arrivals.filter((all) => all.every((one) => one === 'LeftOut')).length
  const some = endpoints.length - everywhere - nowhere
  return `Endpoints: ${everywhere} in every importing cluster, ${some} in some or on their way, ${nowhere} in none`
}

function cellsOf(endpoint: FleetEndpoint): string[] {
  const { cluster, name, addresses, zone = '-', arrivals } = endpoint
  const there = arrivals.filter(({ outcome }) => outcome === 'Published')
  const all = there.length === arrivals.length && arrivals.length > 2
  const places = all ? `all ${arrivals.length}` : there.map((arrival) => arrival.cluster).join(', ')
  return [cluster, name, addresses.join(','), zone, conditionsText(endpoint), places || 'none']
}

const ARRIVALS: Readonly<Record<ArrivalOutcome, string>> = {
  Published: 'in',
  Pending: 'to be written in',
  Leaving: 'to be taken out of',
  LeftOut: 'not in',
}

/** Puts clusters where the same is so, for the same reasons, into one line. */
function arrivalNotes({ ready, arrivals, leftOut }: FleetEndpoint): string[] {
  if (leftOut !== undefined && arrivals.every(({ outcome }) => outcome === 'LeftOut'))
    return [leftOut.message]
  const notable = arrivals.filter(({ outcome, reasons }) => outcome !== 'Published' || reasons.length > 0)
  const same = Map.groupBy(notable, ({ outcome, reasons }) => JSON.stringify([outcome, reasons]))
  return [
    ...(ready ? [] : ['it is not ready in its own cluster: it arrives as such, and gets no connections']),
    ...[...same.values()].map(noteOf),
  ]
}

function noteOf(same: readonly Arrival[]): string {
  const [{ outcome, reasons } = { outcome: 'LeftOut', reasons: [] } as const] = same
  const where = `${ARRIVALS[outcome]} ${same.map(({ cluster }) => cluster).join(', ')}`
  return reasons.length === 0 ? where : `${where}: ${reasons.join('; ')}`
}
