import pLimit from 'p-limit'
import {
  explainFleetService,
  type FleetPlace,
  type FleetReport,
  type ObjectReport,
  type PublicationReport,
  type SubjectReport,
} from '../../../explain/index.ts'
import type { OpenFleet } from '../../clusters/open-fleet.ts'

/** Maximum number of Services that are read concurrently, in every cluster of the set. */
const CONCURRENCY = 4

/**
 * Adds to every Service that publishes the subject where the cluster set imports it, or why not. Closes the
 * set.
 */
export async function inClusterSet(report: SubjectReport, opened: OpenFleet): Promise<SubjectReport> {
  const limit = pLimit(CONCURRENCY)
  const reports = new Map<string, Promise<FleetReport | undefined>>()
  /** Explains a Service of the set once, though many Pods are of it. */
  const explained = (namespace: string, name: string): Promise<FleetReport | undefined> => {
    const key = `${namespace}/${name}`
    const known = reports.get(key) ?? limit(() => explainFleetService({ ...opened.dryRun, namespace, name }))
    reports.set(key, known)
    return known
  }
  const withPlace = async (service: PublicationReport, object: ObjectReport): Promise<PublicationReport> => {
    if (service.outcome === 'NotSelected' || service.outcome === 'Imported' || service.fleet) return service
    const fleet = placeIn(await explained(service.namespace, service.service), service, object)
    return fleet === undefined ? service : { ...service, fleet }
  }
  try {
    const objects = report.objects.map(async (object) => ({
      ...object,
      services: await Promise.all(object.services.map((service) => withPlace(service, object))),
    }))
    return { ...report, objects: await Promise.all(objects) }
  } finally {
    opened.close()
  }
}

function placeIn(
  report: FleetReport | undefined,
  { cluster }: PublicationReport,
  { addresses }: ObjectReport,
): FleetPlace | undefined {
  const exported = report?.exports.find(({ context }) => context === cluster)
  if (report === undefined || exported === undefined || exported.state === 'Absent') return undefined
  const own = report.endpoints.filter(
    (endpoint) =>
      endpoint.cluster === exported.cluster && endpoint.addresses.some((one) => addresses.includes(one)),
  )
  const conflicts = exported.conditions.filter(({ type, status }) => type === 'Conflict' && status === 'True')
  return {
    clusterSet: report.clusterSet,
    arrivals: distinct(own.flatMap((endpoint) => endpoint.arrivals)),
    notes: [
      ...(exported.state === 'Exported' ? [] : [`its export is not valid: ${exported.reason}`]),
      ...conflicts.map(({ message }) => `its export is in conflict: ${message}`),
    ],
  }
}

/** An endpoint stands in a slice for each of its ports, and arrives by each of them. */
const distinct = (arrivals: FleetPlace['arrivals']): FleetPlace['arrivals'] => [
  ...new Map(arrivals.map((arrival) => [JSON.stringify(arrival), arrival])).values(),
]
