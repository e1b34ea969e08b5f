import pLimit from 'p-limit'
import { keyFields, keyText, ownerText, type ServiceKey } from '../../../shared/changes/index.ts'
import { errorMessage } from '../../../shared/values/index.ts'
import { type ExplainServiceOptions, explainService } from '../explain-service.ts'
import type { ServiceReport } from '../report.ts'
import { type FoundObjects, type FoundPod, findObjects } from './find-objects.ts'
import { type FoundServices, findServices, type Missing } from './find-services.ts'
import { findSlices, type Hit, hitFilter, isEndpointOf } from './find-slices.ts'
import {
  importedPublication,
  publicationOf,
  unknownPublication,
  unselectedPublication,
} from './publications.ts'
import type { ObjectReport, PublicationReport, Subject, SubjectReport } from './report.ts'
import { reportMissing, reportNode, reportPod } from './report-objects.ts'

interface ExplainSubjectOptions extends Omit<ExplainServiceOptions, 'key'> {
  readonly subject: Subject
  readonly clusters: readonly string[]
}

/** Services explained at once: quick, and no burden for an API server. */
const CONCURRENCY = 8
/** Services that do not select a Pod which are named; the others are counted. */
const MISSING_NAMED = 5

/**
 * Reads which Services, slices and clusters publish a Pod, the Pods of a Node or an address, and why or why
 * not: each Service is explained by the rules of a reconcile. Nothing is written. A cluster that cannot be
 * read is named in a warning.
 * @throws KubernetesError if none of the clusters can be read
 */
export async function explainSubject(options: ExplainSubjectOptions): Promise<SubjectReport> {
  const { subject, settings } = options
  const { clusters, warnings } = await findInClusters(options)
  const pods = clusters.flatMap((found) => found.pods)
  const hits = clusters.flatMap((found) => found.hits)
  const objects = objectsOf(
    pods,
    hits,
    clusters.flatMap((found) => found.services.naming),
    options,
  )
  const explained = await explainAll(keysOf(clusters), options)
  const missing = clusters.flatMap((found) => found.services.missing)
  return {
    version: 1,
    subject,
    clusters: options.clusters,
    mode: settings.mode,
    managedBy: settings.managedBy,
    ...(subject.kind !== 'Pod' && {
      nodes: clusters.flatMap(({ cluster, nodes }) => nodes.map((node) => reportNode(cluster, node))),
    }),
    objects: objects.map((object) => reportObject(object, { explained, missing, subject, clusters })),
    notes: notesOf(subject, clusters),
    warnings: [...warnings, ...sharedAddress(subject, pods)],
  }
}

interface ClusterFindings extends FoundObjects {
  readonly cluster: string
  readonly hits: readonly Hit[]
  readonly services: FoundServices
}

/** Reads the Pods of all clusters before the slices of any: those may have Pods of another cluster. */
async function findInClusters(
  options: ExplainSubjectOptions,
): Promise<{ clusters: ClusterFindings[]; warnings: string[] }> {
  const { subject, clusters, clusterOf, settings, signal } = options
  const objects = await settled(clusters, (name) => findObjects(clusterOf(name).client, subject, signal))
  const pods = [...objects.results.values()].flatMap((found) => found.pods)
  const isWanted = hitFilter(subject, pods, clusters)
  const rest = await settled([...objects.results.keys()], async (name) => {
    const { client } = clusterOf(name)
    const [slices, services] = await Promise.all([
      findSlices(client, isWanted, signal),
      findServices(client, { subject, pods }, settings, signal),
    ])
    return { hits: slices.hits, services, faults: [...slices.faults, ...services.faults] }
  })
  const failures = new Map([...objects.failures, ...rest.failures])
  const findings = [...rest.results].map(([cluster, { faults, ...found }]): ClusterFindings => {
    const { faults: others, ...pods } = objects.results.get(cluster) ?? { pods: [], nodes: [], faults: [] }
    return { cluster, ...found, ...pods, faults: [...others, ...faults] }
  })
  const [failure] = failures.values()
  if (findings.length === 0 && failure !== undefined) throw failure
  return {
    clusters: findings,
    warnings: [
      ...[...failures].map(
        ([cluster, error]) =>
          `cluster ${cluster} cannot be read, so what it publishes is not known: ${errorMessage(error)}`,
      ),
      ...findings.flatMap(({ cluster, faults: [first, ...more] }) =>
        first === undefined
          ? []
          : [
              `an object of cluster ${cluster} is not of its form: ${first}${more.length > 0 ? `, and ${more.length} more` : ''}`,
            ],
      ),
    ],
  }
}

async function settled<T>(
  names: readonly string[],
  work: (name: string) => Promise<T>,
): Promise<{ results: Map<string, T>; failures: Map<string, unknown> }> {
  const results = new Map<string, T>()
  const failures = new Map<string, unknown>()
  const all = await Promise.allSettled(names.map(work))
  for (const [index, one] of all.entries()) {
    const name = names[index] ?? ''
    if (one.status === 'fulfilled') results.set(name, one.value)
    else failures.set(name, one.reason)
  }
  return { results, failures }
}

/** A Pod or an address with the endpoints that are its own. */
interface SubjectObject {
  readonly facts: Omit<ObjectReport, 'services' | 'furtherServices'>
  readonly pod?: FoundPod
  readonly hits: readonly Hit[]
}

/** Assigns every endpoint to a Pod; the others belong to Pods that are gone, or to none. */
function objectsOf(
  pods: readonly FoundPod[],
  hits: readonly Hit[],
  naming: FoundServices['naming'],
  { clusters, subject }: ExplainSubjectOptions,
): SubjectObject[] {
  const left = new Set(hits)
  const known = pods.map((pod) => {
    const own = hits.filter((hit) => isEndpointOf(hit, pod, clusters))
    for (const hit of own) left.delete(hit)
    return { facts: withUidNote(reportPod(pod), pod, own), pod, hits: own }
  })
  const others = [...Map.groupBy(left, identityOf).values()].flatMap((some): SubjectObject[] => {
    const [first] = some
    return first === undefined ? [] : [{ facts: reportMissing(namedBy(first, some)), hits: some }]
  })
  const isNew = naming.length > 0 && known.length + others.length === 0
  const asked = addressNamed(naming[0]?.cluster ?? '', subject.name, [subject.name])
  return [...known, ...others, ...(isNew ? [{ facts: reportMissing(asked), hits: [] }] : [])]
}

function withUidNote(
  facts: SubjectObject['facts'],
  { pod }: FoundPod,
  hits: readonly Hit[],
): SubjectObject['facts'] {
  const { uid } = pod.metadata ?? {}
  const isOther = hits.some((hit) => hit.pod?.uid !== undefined && uid !== undefined && hit.pod.uid !== uid)
  const note = 'a slice still has an earlier Pod of this name: its uid is another one'
  return isOther ? { ...facts, notes: [...facts.notes, note] } : facts
}

const identityOf = ({ cluster, pod, slice }: Hit): string =>
  pod === undefined ? `address ${slice.addresses[0]}` : `${cluster} ${pod.namespace}/${pod.name}`

function namedBy({ cluster, pod, slice }: Hit, hits: readonly Hit[]) {
  const addresses = [...new Set(hits.flatMap((hit) => hit.slice.addresses))]
  return pod === undefined
    ? addressNamed(cluster, slice.addresses[0] ?? '', addresses)
    : ({ kind: 'Pod', cluster, namespace: pod.namespace, name: pod.name, addresses } as const)
}

const addressNamed = (cluster: string, name: string, addresses: readonly string[]) =>
  ({ kind: 'Address', cluster, namespace: '', name, addresses }) as const

type Explained = ReadonlyMap<string, ServiceReport | Error | undefined>

/** Collects the Services to explain, each once: those with a slice, and those that select or name it. */
function keysOf(clusters: readonly ClusterFindings[]): ServiceKey[] {
  const named = clusters.flatMap(({ hits, services: { selecting, naming } }) => [
    ...hits.filter(({ isImport, service }) => !isImport && service !== ''),
    ...selecting,
    ...naming,
  ])
  return [...new Map(named.map((key) => [keyText(key), key])).values()].map(keyFields)
}

async function explainAll(keys: readonly ServiceKey[], options: ExplainSubjectOptions): Promise<Explained> {
  const limit = pLimit(CONCURRENCY)
  const { subject: _, clusters: __, ...common } = options
  const reports = keys.map((key) =>
    limit(async () => {
      const report = await explainService({ ...common, key }).catch((error: unknown) =>
        error instanceof Error ? error : new Error(String(error)),
      )
      return [keyText(key), report] as const
    }),
  )
  return new Map(await Promise.all(reports))
}

interface Findings {
  readonly explained: Explained
  readonly missing: readonly Missing[]
  readonly subject: Subject
  readonly clusters: readonly ClusterFindings[]
}

function reportObject(object: SubjectObject, findings: Findings): ObjectReport {
  const services = publicationsOf(object, findings)
  const { named, further } = nearest(object, services.length > 0, findings)
  return {
    ...object.facts,
    services: [...services, ...named.map(unselectedPublication)],
    furtherServices: further,
  }
}

function publicationsOf({ facts, pod, hits }: SubjectObject, findings: Findings): PublicationReport[] {
  const { explained, clusters } = findings
  const services = clusters.map((found) => found.services)
  const selecting = services.flatMap((one) => one.selecting.filter((each) => each.pod === pod))
  const naming = pod === undefined ? services.flatMap((one) => one.naming) : []
  const byService = Map.groupBy(hits, keyText)
  const keys = new Map([...hits, ...selecting, ...naming].map((key) => [keyText(key), key]))
  return [...keys]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([text, key]) => {
      const own = byService.get(text) ?? []
      const imports = own.filter(({ isImport }) => isImport)
      const others = own.filter(({ isImport }) => !isImport)
      const of = keyFields(key)
      const [first, ...more] = imports
      const imported = first === undefined ? [] : [importedPublication([first, ...more])]
      const report = explained.get(text)
      if (report instanceof Error) return [...imported, unknownPublication(of, report, others)]
      if (report === undefined) return [...imported, ...orphans(of, others)]
      const publication = publicationOf(facts, report, others)
      return publication === undefined ? imported : [...imported, publication]
    })
}

/** Reports slices that name no Service, or one that has gone since they were read. */
function orphans(of: ServiceKey, hits: readonly Hit[]): PublicationReport[] {
  if (hits.length === 0) return []
  const reasons = [
    of.service === ''
      ? 'its slice names no Service'
      : `there is no such ${of.ownerKind ?? 'Service'} any more`,
  ]
  return [{ ...of, outcome: 'Foreign', reasons, slices: hits.map(({ slice }) => slice), warnings: [] }]
}

/**
 * Picks the Services that come near to selecting a Pod: for one that no Service has, all of its namespace;
 * else those with which it shares a label.
 */
function nearest(
  { pod }: SubjectObject,
  isPublished: boolean,
  { missing, subject }: Findings,
): { named: readonly Missing[]; further: number } {
  const own = missing.filter((each) => each.pod === pod)
  if (subject.kind === 'Node') return { named: [], further: own.length }
  const near = own
    .filter(({ met }) => !isPublished || met > 0)
    .sort(
      (a, b) => b.met - a.met || a.unmet.length - b.unmet.length || (ownerText(a) < ownerText(b) ? -1 : 1),
    )
    .slice(0, MISSING_NAMED)
  return { named: near, further: own.length - near.length }
}

function notesOf({ kind, name }: Subject, clusters: readonly ClusterFindings[]): string[] {
  const nodes = clusters.flatMap(({ cluster, nodes: some }) =>
    kind === 'Address'
      ? some.map((node) => `it is an address of Node ${node.metadata?.name} of cluster ${cluster}`)
      : [],
  )
  const services = clusters
    .flatMap(({ services: { fronting } }) => fronting)
    .map(
      ({ cluster, namespace, service, field }) =>
        `it is the ${field} of Service ${namespace}/${service} of cluster ${cluster}: sliceflow explain --context ${cluster} ${namespace}/${service} shows what is behind it`,
    )
  const isGone = kind === 'Node' && clusters.every(({ nodes: some }) => some.length === 0)
  const gone = isGone ? [`no cluster that was asked has a Node ${name} (any more)`] : []
  return [...nodes, ...services, ...gone]
}

const ENDED = new Set(['Succeeded', 'Failed'])

/** Warns if an address belongs to several running Pods with networks of their own: one of them gets it. */
function sharedAddress({ kind, name }: Subject, pods: readonly FoundPod[]): string[] {
  if (kind !== 'Address') return []
  const running = pods.filter(
    ({ pod }) => pod.spec?.hostNetwork !== true && !ENDED.has(pod.status?.phase ?? ''),
  )
  return [...Map.groupBy(running, ({ cluster }) => cluster)].flatMap(([cluster, some]) =>
    some.length < 2
      ? []
      : [
          `${some.length} running Pods of cluster ${cluster} say that ${name} is theirs: ${some.map(({ namespace, name: pod }) => `${namespace}/${pod}`).join(', ')}`,
        ],
  )
}

/** Reports whether nothing was found that a subject names. */
export const isUnfound = ({ objects, nodes = [], notes, subject, recorded = [] }: SubjectReport): boolean =>
  objects.length === 0 &&
  nodes.length === 0 &&
  recorded.length === 0 &&
  (subject.kind === 'Node' || notes.length === 0)
