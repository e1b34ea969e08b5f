import { keyFields, keyText, type ServiceKey } from '../../../shared/changes/index.ts'
import type { EndpointExplanation } from '../../../shared/endpointslice/index.ts'
import type { LabelRequirement } from '../../../shared/kubernetes/index.ts'
import { errorMessage } from '../../../shared/values/index.ts'
import { selectorText } from '../management.ts'
import type { ServiceReport } from '../report.ts'
import type { Missing } from './find-services.ts'
import type { Hit } from './find-slices.ts'
import type {
  ObjectReport,
  PublicationOutcome,
  PublicationReport,
  RecordedEvent,
  Since,
  SubjectReport,
} from './report.ts'

type ReportedObject = Pick<ObjectReport, 'kind' | 'cluster' | 'namespace' | 'name' | 'addresses' | 'exists'>
type Outcome = Pick<PublicationReport, 'outcome' | 'reasons'>

/** Says what a Service does with a Pod or an address, by the report on the Service. */
export function publicationOf(
  object: ReportedObject,
  report: ServiceReport,
  hits: readonly Hit[],
): PublicationReport | undefined {
  const explained = report.endpoints.find((endpoint) => isSame(endpoint, object, report))
  if (explained === undefined && isOfOtherCluster(object, report)) return undefined
  const outcome =
    explained === undefined ? outcomeByHits(object, report, hits) : outcomeOf(explained, report, hits)
  return {
    ...keyFields(report),
    ...outcome,
    slices: hits.map(({ slice }) => slice),
    management: report.management,
    warnings: [...pauseOf(report), ...report.warnings, ...report.problems],
    since: sinceOf(hits),
  }
}

/** Says that nothing is written, which is why an endpoint stays as it is. */
const pauseOf = ({ management: { state, reason } }: ServiceReport): string[] =>
  state === 'Paused' ? [`the Service is not written: ${reason}`] : []

/** A Pod is found by its name and cluster; an address is that of an endpoint which is no Pod. */
function isSame(
  endpoint: EndpointExplanation,
  object: ReportedObject,
  { cluster, source }: ServiceReport,
): boolean {
  if (endpoint.kind === 'Address' || object.kind === 'Address')
    return [endpoint.name, ...endpoint.published.flatMap(({ addresses }) => addresses)].some((address) =>
      object.addresses.includes(address),
    )
  return (
    endpoint.name === object.name &&
    endpoint.namespace === object.namespace &&
    (endpoint.cluster ?? source?.cluster ?? cluster) === object.cluster
  )
}

/** Two clusters may have Pods of one address: the Service says whose Pods it takes. */
function isOfOtherCluster({ kind, cluster }: ReportedObject, { source }: ServiceReport): boolean {
  if (kind !== 'Pod' || source?.kind !== 'Pods') return false
  const { clusters = [source.cluster] } = source
  return !clusters.includes(cluster)
}

function outcomeOf(
  { outcome, reasons }: EndpointExplanation,
  { management }: ServiceReport,
  hits: readonly Hit[],
): Outcome {
  const isThere = hits.some(({ slice }) => slice.managedBy === management.plannedFor)
  const messages = reasons.map(({ message }) => message)
  return { outcome: outcome === 'LeftOut' && isThere ? 'Leaving' : outcome, reasons: messages }
}

/** Decides about what slices have and the plan does not know as an endpoint. */
function outcomeByHits(object: ReportedObject, report: ServiceReport, hits: readonly Hit[]): Outcome {
  const { management, managedBy, source } = report
  const planner = management.plannedFor ?? managedBy
  const ours = hits.filter(({ slice }) => slice.managedBy === planner)
  if (ours.length === 0)
    return { outcome: 'Foreign', reasons: [`only slices of ${managersOf(hits)} have it`, management.reason] }
  const isPlanned = management.plannedFor !== undefined && source?.kind !== 'Endpoints'
  if (isPlanned) return { outcome: 'Leaving', reasons: [absenceReason(object)] }
  return { outcome: outcomeOfSlices(ours, report), reasons: [management.reason] }
}

const managersOf = (hits: readonly Hit[]): string =>
  [...new Set(hits.map(({ slice }) => slice.managedBy || 'no manager'))].join(', ')

function absenceReason({ kind, exists }: ReportedObject): string {
  if (kind === 'Address') return 'no Pod and no annotation of the Service gives it'
  return exists ? 'the Service does not select it' : 'there is no such Pod any more'
}

/** Decides by what becomes of the slices, of a Service whose endpoints are not planned one by one. */
function outcomeOfSlices(ours: readonly Hit[], { slices }: ServiceReport): PublicationOutcome {
  const stays = ours.some(({ slice }) =>
    slices.some(
      ({ name, outcome, differences }) =>
        name === slice.name &&
        outcome !== 'Delete' &&
        !differences.some(
          ({ kind, endpoint }) => kind === 'unexpected' && slice.addresses.includes(endpoint),
        ),
    ),
  )
  return stays ? 'Published' : 'Leaving'
}

export const unknownPublication = (
  of: ServiceKey,
  error: unknown,
  hits: readonly Hit[],
): PublicationReport => ({
  ...of,
  outcome: 'Unknown',
  reasons: [errorMessage(error)],
  slices: hits.map(({ slice }) => slice),
  warnings: [],
})

/** Reports slices of a cluster set, which are planned from the exports of all of its clusters. */
export function importedPublication(hits: readonly [Hit, ...Hit[]]): PublicationReport {
  const [hit] = hits
  const { namespace, service, slice } = hit
  return {
    ...keyFields(hit),
    outcome: 'Imported',
    reasons: [
      `an import of the cluster set, from cluster ${slice.sourceCluster ?? 'unknown'}: sliceflow explain --fleet ${namespace}/${service} says more`,
    ],
    slices: hits.map((each) => each.slice),
    warnings: [],
    since: sinceOf(hits),
  }
}

/** Reports a Service whose selector does not match, and in which labels. */
export const unselectedPublication = ({ pod, unmet, ...of }: Missing): PublicationReport => ({
  ...keyFields(of),
  outcome: 'NotSelected',
  reasons: unmet.map((requirement) => unmetText(requirement, pod.pod.metadata?.labels ?? {})),
  slices: [],
  warnings: [],
})

function unmetText(requirement: LabelRequirement, labels: Readonly<Record<string, string>>): string {
  const { key } = requirement
  const has = Object.hasOwn(labels, key) ? `has ${key}=${labels[key]}` : `has no label ${key}`
  return `its selector wants ${selectorText([requirement])}, and the Pod ${has}`
}

/** Returns the latest write of its slices: the endpoint has not changed since then. */
function sinceOf(hits: readonly Hit[]): Since | undefined {
  const times = hits.flatMap(({ slice }) => slice.lastWrite?.time ?? []).sort()
  const [time] = times
  return time === undefined ? undefined : { time, by: 'Slice' }
}

/** Adds the data of a recording: the events, and the exact time of the last change of each endpoint. */
export const withRecording = (report: SubjectReport, events: readonly RecordedEvent[]): SubjectReport => ({
  ...report,
  recorded: events,
  objects: report.objects.map((object) => ({
    ...object,
    services: object.services.map((service) => datedBy(service, object, events)),
  })),
})

function datedBy(
  service: PublicationReport,
  object: ObjectReport,
  events: readonly RecordedEvent[],
): PublicationReport {
  const last = events.findLast(
    (event) =>
      keyText(event) === keyText(service) &&
      isOfSlices(event, service) &&
      (event.pod === undefined ? sharesAddress(event, object) : isPod(event, service, object)),
  )
  const isThere = service.slices.length > 0
  // A record that says otherwise is older than a write of another client.
  if (last === undefined || (last.event === 'Left') === isThere || last.event === 'Found') return service
  return { ...service, since: { time: last.time, by: 'Recording' } }
}

/** An import has the name of a Service of its cluster, whose records are others. */
const isOfSlices = ({ slice }: RecordedEvent, { outcome, slices }: PublicationReport): boolean =>
  outcome !== 'Imported' || slices.some(({ name }) => name === slice)

/** Endpoints name Pods of their own cluster only. */
const isPod = ({ pod }: RecordedEvent, { cluster }: PublicationReport, object: ObjectReport): boolean =>
  pod === object.name && cluster === object.cluster

const sharesAddress = (event: RecordedEvent, { addresses }: ObjectReport): boolean =>
  event.addresses.some((address) => addresses.includes(address))
