import pLimit from 'p-limit'
import {
  type ApiObject,
  type ClusterConnection,
  contextNames,
  type KubeconfigFiles,
  loadClusters,
  NODES,
  PODS,
  type Resource,
} from '../../../shared/kubernetes/index.ts'
import { didYouMean } from '../../../shared/schema/index.ts'
import { NO_CLUSTER_SETS, parseClusterSets } from '../../../shared/settings/index.ts'
import { ReadableClusters } from '../../clusters/open-clusters.ts'
import { type OpenFleet, openFleet } from '../../clusters/open-fleet.ts'
import {
  describeSubject,
  explainFleetService,
  explainSubject,
  type FleetPlace,
  type FleetReport,
  isUnfound,
  type ObjectReport,
  type PublicationReport,
  type Subject,
  type SubjectReport,
  withRecording,
} from '../../explain/index.ts'
import { assertNoFleetFlags, type FleetFlags } from '../../options/fleet.ts'
import type { AskedRun } from '../../options/run-settings.ts'
import { printReport } from '../../output/print-report.ts'
import { listText } from '../../terminal/index.ts'
import type { ExplainFlags } from './command.ts'
import { recordedEvents } from './recorded-events.ts'

/** Objects named where there is none of the name asked for. */
const NAMED = 10
/** Objects read for that. */
const READ = 500

/**
 * Prints which Services publish a Pod, the Pods of a Node or an address.
 * @throws UsageError @throws KubernetesError if no cluster can be read
 * @throws Error when there is nothing of that name, with what to type
 */
export async function runExplainSubject(subject: Subject, flags: ExplainFlags, run: AskedRun): Promise<void> {
  const { clusters: given, fleet, asked } = flags
  const { settings, relay } = run
  if (fleet.fleet === undefined && settings.clusterSets === NO_CLUSTER_SETS) assertNoFleetFlags(fleet)
  const followed = relay?.clusters?.map(({ name }) => name) ?? []
  const connections = await connectionsOf(given.kubeconfig, given.context, followed)
  const opened = new ReadableClusters(given.kubeconfig, connections)
  const clusters = connections.map(({ name }) => name)
  const { signal } = new AbortController()
  try {
    const explained = () =>
      explainSubject({ subject, clusters, clusterOf: opened.clusterOf, settings, signal })
    const first = await explained()
    // Services may select Pods of another cluster of the kubeconfig, which was not named.
    const known = (await opened.loadMissing()) ? await explained() : first
    const events = asked.from.length > 0 ? await recordedEvents(asked.from, known) : undefined
    const report = events === undefined ? known : withRecording(known, events)
    if (isUnfound(report)) throw new Error(await absence(report, opened))
    let found = report
    for (const set of setsOf(fleet, run, clusters)) {
      const ofSet = await openFleet(
        { kubeconfig: given.kubeconfig, context: clusters },
        { ...fleet, fleet: set },
        settings,
      )
      found = await inClusterSet(found, ofSet)
    }
    printReport(found, asked.output, (each) => describeSubject(each, Date.now()))
  } finally {
    opened.close()
  }
}

/** Names the cluster sets to ask: that of `--fleet`, else those of the run whose clusters are all asked. */
function setsOf(
  { fleet }: FleetFlags,
  { settings, relay }: AskedRun,
  clusters: readonly string[],
): readonly (string | true)[] {
  if (fleet !== undefined) return [fleet]
  if (relay?.settings === undefined) return []
  const sets = parseClusterSets(settings.clusterSets)
  const isAsked = (name: string | undefined): boolean => name !== undefined && clusters.includes(name)
  return sets.every((set) => set.clusters.every(({ name }) => isAsked(name)))
    ? sets.map(({ name }) => name)
    : []
}

async function connectionsOf(
  kubeconfig: KubeconfigFiles,
  named: readonly string[],
  followed: readonly string[],
): Promise<ClusterConnection[]> {
  if (named.length > 0 || followed.length === 0) return loadClusters(kubeconfig, named)
  const known = new Set(await contextNames(kubeconfig))
  return loadClusters(
    kubeconfig,
    followed.filter((name) => known.has(name)),
  )
}

async function absence(
  { subject, clusters, warnings }: SubjectReport,
  opened: ReadableClusters,
): Promise<string> {
  const { kind, name, namespace } = subject
  const asked = `${clusters.length === 1 ? 'cluster' : 'clusters'} ${clusters.join(', ')}`
  const elsewhere = 'ask other clusters with --context, or a recording of the past with --from FILE'
  const unread = warnings.map((warning) => `; ${warning}`).join('')
  if (kind === 'Address')
    return `no Pod, Node, Service or EndpointSlice of ${asked} has the address ${name}: ${elsewhere}${unread}`
  const what = kind === 'Pod' && namespace !== undefined ? `Pod ${namespace}/${name}` : `${kind} ${name}`
  const there = await namesOf(subject, clusters, opened)
  const others =
    there.length === 0
      ? `there are no ${kind}s${namespace === undefined ? '' : ` in namespace ${namespace}`}`
      : `there ${there.length === 1 ? 'is' : 'are'} ${listText(there, NAMED)}`
  const meant = didYouMean(
    namespace === undefined ? name : `${namespace}/${name}`,
    namespace === undefined ? bare(there) : there,
  )
  const advice = meant === '' ? `; ${elsewhere}` : `${meant} Or ${elsewhere}`
  return `there is no ${what} in ${asked}, and no EndpointSlice that names it: ${others}${advice}${unread}`
}

const bare = (names: readonly string[]): string[] => names.map((name) => name.split('/').at(-1) ?? name)

/** Lists some objects of the kind; none where that fails, as the error is about something else. */
async function namesOf(
  { kind, namespace }: Subject,
  clusters: readonly string[],
  { clusterOf }: ReadableClusters,
): Promise<string[]> {
  const resource: Resource = kind === 'Node' ? NODES : PODS
  const within = kind === 'Pod' && namespace !== undefined ? { namespace } : {}
  const lists = clusters.map(async (cluster) => {
    const { client } = clusterOf(cluster)
    const pages = client.pages(resource, { metadataOnly: true, limit: READ, ...within })
    const { value } = await pages.next()
    const items: readonly ApiObject[] = value?.items ?? []
    return items.map(({ metadata }) =>
      metadata?.namespace === undefined ? (metadata?.name ?? '') : `${metadata.namespace}/${metadata.name}`,
    )
  })
  const read = await Promise.all(lists.map((list) => list.catch(() => [])))
  return [...new Set(read.flat())].sort()
}

/** Maximum number of Services that are read concurrently, in every cluster of the set. */
const CONCURRENCY = 4

/** Adds where the cluster set imports each Service that publishes the subject, or why not. Closes the set. */
async function inClusterSet(report: SubjectReport, opened: OpenFleet): Promise<SubjectReport> {
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
    // Exports are of Services.
    if (service.ownerKind !== undefined) return service
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
