import { type AnnotationRule, checkProblem, misspeltAnnotation } from '../../changes/index.ts'
import { addressTypesOf, canonicalTriggerTime, SERVICE_OWNER } from '../../endpointslice/index.ts'
import { matchesPattern } from '../../settings/index.ts'
import { commaSeparated, isRecord, recordOf } from '../../values/index.ts'
import { exportedOwner, selectorProblem } from '../export-kind.ts'
import { isAbsent, listWithLimit, numberOf, type ReportFault, wordOf } from '../faults.ts'
import { type FleetPolicy, readFleetPolicy } from '../policy/fleet-policy.ts'
import type { ClusterSelector, ImportPort, ImportType } from '../resources.ts'
import { readClusterSelectors } from '../selection/cluster-selectors.ts'
import {
  ANNOTATION_EXPORT_KIND,
  ANNOTATION_EXPORT_TO,
  ANNOTATION_FLEET_POLICY,
  LABEL_CLUSTER_SET,
  LABEL_IMPORT_NAME,
} from '../well-known.ts'
import type { ClusterExport, WantedCondition } from './merged-service.ts'
import { readExportedMap } from './read-exported-map.ts'
import { readPorts } from './read-ports.ts'

type IpFamily = 'IPv4' | 'IPv6'

/** Fields of a valid export that the merge uses. */
export interface Offer {
  readonly cluster: string
  /** Time at which the ServiceExport was made, in ms; Infinity where it does not say. */
  readonly since: number
  readonly type: ImportType
  readonly ports: readonly ImportPort[]
  readonly sessionAffinity: 'None' | 'ClientIP'
  /** Time of the affinity to a client's IP address, in s. */
  readonly timeoutSeconds: number | undefined
  readonly internalTrafficPolicy: 'Cluster' | 'Local'
  readonly trafficDistribution: (typeof TRAFFIC_DISTRIBUTIONS)[number] | undefined
  readonly families: readonly IpFamily[]
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly policy: FleetPolicy | undefined
  readonly clusterSelectors: readonly ClusterSelector[] | undefined
  /** Patterns of the clusters that it is for beside its own; undefined for all. */
  readonly to: readonly string[] | undefined
}

/** Parts of the API that a set may go without. */
export interface MergeOptions {
  /** Ids of the clusters that import: conflicts are those in the imports that an export reaches. */
  readonly importers?: readonly string[]
  /** Whether `spec.clusterSelectors` counts (KEP-5939). Default false. */
  readonly clusterSelection?: boolean | undefined
}

/** Result of reading an export: its condition `Valid`, and its fields where that is True. */
interface ParsedExport {
  readonly cluster: string
  readonly valid: WantedCondition
  readonly offer: Offer | undefined
  /** Parts that are left out, in words; absent where there are none. */
  readonly leftOut?: string
}

const SERVICE_TYPES = ['ClusterIP', 'NodePort', 'LoadBalancer'] as const
const TRAFFIC_DISTRIBUTIONS = ['PreferClose', 'PreferSameZone', 'PreferSameNode'] as const
/** Of the affinity to a client's IP address, with the API's default and its most. */
const TIMEOUT = {
  path: 'spec.sessionAffinityConfig.clientIP.timeoutSeconds',
  most: 86_400,
  otherwise: 10_800,
} as const

/**
 * Reads an export and its Service as a cluster sent them: nothing in them is taken for granted. Parts that an
 * import cannot have are left out, and named in the message of the condition.
 */
export function parseExport(sent: ClusterExport, { clusterSelection }: MergeOptions = {}): ParsedExport {
  const { cluster } = sent
  const { metadata, spec: exportSpec } = recordOf(sent.export)
  const selectors = readClusterSelectors(recordOf(exportSpec).clusterSelectors)
  const to = readExportTo(annotationsOf(sent.export)[ANNOTATION_EXPORT_TO])
  const refusal =
    refusalOf(sent) ??
    // Not ignored: it would be published where it must not be.
    (typeof to === 'string'
      ? refused('InvalidExportTo', `metadata.annotations[${ANNOTATION_EXPORT_TO}]: ${to}.`)
      : undefined) ??
    (clusterSelection ? selectionRefusal(selectors, sent.service) : undefined)
  if (refusal !== undefined) return { cluster, valid: refusal, offer: undefined }
  const faults: string[] = []
  const reportFault: ReportFault = (fault) => faults.push(fault)
  const { exportedLabels, exportedAnnotations } = recordOf(exportSpec)
  if (selectors !== undefined && !clusterSelection)
    reportFault('spec.clusterSelectors, which the cluster set does not read (clusterSelection is not on)')
  const offer: Offer = {
    cluster,
    since: sinceOf(recordOf(metadata).creationTimestamp, reportFault),
    ...readServiceSpec(recordOf(sent.service?.spec), reportFault),
    labels: readExportedMap(exportedLabels, 'exportedLabels', reportFault),
    annotations: readExportedMap(exportedAnnotations, 'exportedAnnotations', reportFault),
    policy: readPolicy(annotationsOf(sent.export), annotationsOf(sent.service), reportFault),
    clusterSelectors: clusterSelection && typeof selectors !== 'string' ? selectors : undefined,
    to: typeof to === 'string' ? [] : to,
  }
  if (offer.clusterSelectors !== undefined && offer.policy?.own !== undefined)
    reportFault(
      `prefer of ${ANNOTATION_FLEET_POLICY}, as spec.clusterSelectors say which clusters are preferred`,
    )
  const leftOut = faults.length === 0 ? undefined : listWithLimit(faults, '; ')
  const message = leftOut === undefined ? `It is exported as ${offer.type}.` : `Left out: ${leftOut}.`
  const valid: WantedCondition = { type: 'Valid', status: 'True', reason: 'Valid', message }
  return { cluster, valid, offer, ...(leftOut !== undefined && { leftOut }) }
}

type Fields = Readonly<Record<string, unknown>>

const annotationsOf = (object: unknown): Fields => recordOf(recordOf(recordOf(object).metadata).annotations)

function readPolicy(
  annotations: Fields,
  ofService: Fields,
  reportFault: ReportFault,
): FleetPolicy | undefined {
  if (ANNOTATION_FLEET_POLICY in ofService)
    reportFault(
      `metadata.annotations[${ANNOTATION_FLEET_POLICY}] of the Service, which is for the ServiceExport to say`,
    )
  const known = [ANNOTATION_FLEET_POLICY, ANNOTATION_EXPORT_TO, ANNOTATION_EXPORT_KIND]
  const misspelt = misspeltAnnotation(annotations, known)
  if (misspelt !== undefined)
    reportFault(
      `metadata.annotations[${misspelt.annotation}], which means nothing (did you mean ${misspelt.meant}?)`,
    )
  return readFleetPolicy(annotations[ANNOTATION_FLEET_POLICY], reportFault)
}

const refused = (reason: string, message: string): WantedCondition => ({
  type: 'Valid',
  status: 'False',
  reason,
  message,
})

/** Says why there is nothing to import from an export; undefined where there is. */
function refusalOf({ export: serviceExport, service }: ClusterExport): WantedCondition | undefined {
  const { metadata } = recordOf(serviceExport)
  // Finalizers of others may keep it for long.
  if (!isAbsent(recordOf(metadata).deletionTimestamp)) {
    return refused('Terminating', 'The ServiceExport is being deleted.')
  }
  const owner = exportedOwner(serviceExport)
  if (typeof owner === 'string')
    return refused('InvalidExportKind', `metadata.annotations[${ANNOTATION_EXPORT_KIND}]: ${owner}.`)
  const { kind } = owner
  if (isAbsent(service)) return refused(`No${kind}`, `There is no ${kind} of this name in the namespace.`)
  if (owner !== SERVICE_OWNER) {
    const problem = selectorProblem(service)
    return problem === undefined ? undefined : refused('InvalidEndpointSelector', problem)
  }
  const { metadata: serviceMetadata, spec } = recordOf(service)
  if (!isRecord(spec)) return refused('InvalidServiceType', 'The Service cannot be read: it has no spec.')
  const labels = recordOf(recordOf(serviceMetadata).labels)
  if (LABEL_CLUSTER_SET in labels && LABEL_IMPORT_NAME in labels) {
    return refused(
      'InvalidServiceType',
      'The Service is derived from a ServiceImport: export the Services that are behind it.',
    )
  }
  const { type } = spec
  if (isAbsent(type) || SERVICE_TYPES.some((known) => known === type)) return undefined
  return refused(
    'InvalidServiceType',
    `The Service's type must be one of ${SERVICE_TYPES.join(', ')}: an ExternalName has no endpoints.`,
  )
}

/** Says why the selectors of an export cannot be used; undefined where they can, or there are none. */
function selectionRefusal(
  selectors: ReturnType<typeof readClusterSelectors>,
  service: unknown,
): WantedCondition | undefined {
  if (selectors === undefined) return undefined
  if (typeof selectors === 'string') return refused('InvalidClusterSelector', `spec.${selectors}.`)
  return recordOf(recordOf(service).spec).clusterIP === 'None'
    ? refused(
        'InvalidServiceType',
        'The Service is headless, and its export has spec.clusterSelectors: DNS answers with the endpoints of all clusters. Remove one of the two.',
      )
    : undefined
}

function sinceOf(time: unknown, reportFault: ReportFault): number {
  const canonical = typeof time === 'string' ? canonicalTriggerTime(time) : undefined
  if (canonical !== undefined && canonical !== '') return Date.parse(canonical)
  reportFault('metadata.creationTimestamp is not a time, the export counts as the youngest')
  return Number.POSITIVE_INFINITY
}

type ServiceFields = Omit<
  Offer,
  'cluster' | 'since' | 'labels' | 'annotations' | 'policy' | 'clusterSelectors' | 'to'
>

/** Reads the spec of a Service. Absent fields get the values that an API server would have put there. */
function readServiceSpec(spec: Readonly<Record<string, unknown>>, reportFault: ReportFault): ServiceFields {
  const sessionAffinity = wordOf(
    spec.sessionAffinity,
    { path: 'spec.sessionAffinity', words: ['None', 'ClientIP'], otherwise: 'None' },
    reportFault,
  )
  return {
    type: spec.clusterIP === 'None' ? 'Headless' : 'ClusterSetIP',
    ports: readPorts(spec.ports, reportFault),
    sessionAffinity,
    timeoutSeconds:
      sessionAffinity === 'None'
        ? undefined
        : numberOf(
            recordOf(recordOf(spec.sessionAffinityConfig).clientIP).timeoutSeconds,
            TIMEOUT,
            reportFault,
          ),
    internalTrafficPolicy: wordOf(
      spec.internalTrafficPolicy,
      { path: 'spec.internalTrafficPolicy', words: ['Cluster', 'Local'], otherwise: 'Cluster' },
      reportFault,
    ),
    trafficDistribution: wordOf(
      spec.trafficDistribution,
      { path: 'spec.trafficDistribution', words: TRAFFIC_DISTRIBUTIONS, otherwise: undefined },
      reportFault,
    ),
    families: familiesOf(spec, reportFault),
  }
}

function familiesOf(
  { ipFamilies, clusterIP }: Readonly<Record<string, unknown>>,
  reportFault: ReportFault,
): IpFamily[] {
  const listed: unknown[] = Array.isArray(ipFamilies) ? ipFamilies : []
  const families = (['IPv4', 'IPv6'] as const).filter((family) => listed.includes(family))
  const areSound = isAbsent(ipFamilies) || (Array.isArray(ipFamilies) && families.length === listed.length)
  if (!areSound) reportFault('spec.ipFamilies is not a list of IPv4 and IPv6, each once')
  const spec = { ipFamilies: families, ...(typeof clusterIP === 'string' && { clusterIP }) }
  return addressTypesOf({ spec }).filter((type) => type !== 'FQDN')
}

const MAX_LENGTH = 2048
const PROBLEM = `it is no list of cluster ids or patterns of up to ${MAX_LENGTH} characters, such as eu-*,us-1`

/** What the annotation must be. */
export const EXPORT_TO_RULE: AnnotationRule = {
  annotation: ANNOTATION_EXPORT_TO,
  checks: [
    { kind: 'length', most: MAX_LENGTH, problem: PROBLEM },
    { kind: 'pattern', pattern: /^ *[-.*a-z0-9]+ *(, *[-.*a-z0-9]+ *)*$/, problem: PROBLEM },
  ],
}

/**
 * Reads which clusters an export is for.
 * @returns what is wrong with the annotation, in words; undefined where all clusters are meant
 */
function readExportTo(value: unknown): readonly string[] | string | undefined {
  if (isAbsent(value)) return undefined
  if (typeof value !== 'string') return PROBLEM
  const problem = checkProblem(EXPORT_TO_RULE.checks, value)
  return problem ?? commaSeparated(value)
}

/** Reports whether an export reaches a cluster: its own always. */
export const reaches = (
  { cluster, to }: { readonly cluster: string; readonly to?: readonly string[] | undefined },
  importer: string,
): boolean =>
  to === undefined || cluster === importer || to.some((pattern) => matchesPattern(pattern, importer))
