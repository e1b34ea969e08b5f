import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import type { ObjectMeta, Service } from '../../endpointslice/index.ts'
import { finite, record, safeParse } from '../../schema/index.ts'
import { parseJson, recordOf } from '../../values/index.ts'
import { derivedServiceName } from '../import-owner.ts'
import type { MergedService } from '../merging/merged-service.ts'
import { fleetPolicyText, readFleetPolicy } from '../policy/fleet-policy.ts'
import {
  type ImportPort,
  MCS_GROUP,
  type McsVersion,
  type ServiceImport,
  type ServiceImportSpec,
} from '../resources.ts'
import { readClusterSelectors } from '../selection/cluster-selectors.ts'
import {
  ANNOTATION_DERIVED_SERVICE,
  ANNOTATION_EXPORTED,
  ANNOTATION_EXPORTED_PORTS,
  ANNOTATION_FLEET_POLICY,
  ANNOTATION_WRITER,
  LABEL_CLUSTER_SET,
} from '../well-known.ts'
import { omit } from './derived-service.ts'

export interface WantedImport extends Omit<MergedService, 'clusters'> {
  readonly set: string
  readonly version: McsVersion
  readonly namespace: string
  readonly name: string
  /** Name of the Sliceflow that writes it. */
  readonly writer: string
  /** Positions in the ports of those of each exporting cluster. */
  readonly portsOf: PortsOf
}

/** Positions of ports, by the id of the cluster that exports them. */
type PortsOf = Readonly<Record<string, readonly number[]>>

/** Makes a ServiceImport that is not there yet: it gets its addresses once its derived Service has them. */
export function newImport(wanted: WantedImport): ServiceImport {
  const { version, namespace, name } = wanted
  return {
    apiVersion: `${MCS_GROUP}/${version}`,
    kind: 'ServiceImport',
    metadata: { name, namespace, ...metadataOf({}, wanted) },
    spec: wanted.spec,
  }
}

/**
 * Returns the next version of a ServiceImport; undefined where nothing changes. Labels and annotations that
 * others added stay.
 * @param derived gives the addresses, all of them at once with their families; undefined of a headless one
 */
export function importUpdate(
  existing: ServiceImport,
  wanted: WantedImport,
  derived: Service | undefined,
): ServiceImport | undefined {
  const spec = specOf(wanted.spec, derived)
  const { labels = {}, annotations = {} } = existing.metadata ?? {}
  const metadataBy = (writer: string) => metadataOf({ labels, annotations }, { ...wanted, writer })
  // One that is right stays, whoever wrote it.
  const isSame =
    isDeepStrictEqual(canonical(existing.spec), canonical(spec)) &&
    isDeepStrictEqual({ labels, annotations }, metadataBy(annotations[ANNOTATION_WRITER] ?? wanted.writer))
  if (isSame) return undefined
  return { ...existing, metadata: { ...existing.metadata, ...metadataBy(wanted.writer) }, spec }
}

function specOf(spec: MergedService['spec'], derived: Service | undefined): ServiceImportSpec {
  const ips = (derived?.spec?.clusterIPs ?? []).filter((ip) => ip !== '' && ip !== 'None')
  if (spec.type === 'Headless' || ips.length === 0) return { ...spec }
  return { ...spec, ips, ipFamilies: derived?.spec?.ipFamilies ?? [] }
}

const OWN_ANNOTATIONS = [
  ANNOTATION_EXPORTED,
  ANNOTATION_EXPORTED_PORTS,
  ANNOTATION_DERIVED_SERVICE,
  ANNOTATION_FLEET_POLICY,
]

function metadataOf(
  { labels, annotations }: ObjectMeta,
  { set, spec, namespace, name, writer, policy, portsOf, ...wanted }: WantedImport,
): Required<Pick<ObjectMeta, 'labels' | 'annotations'>> {
  const before = exportedBefore(annotations?.[ANNOTATION_EXPORTED])
  const exported = { labels: Object.keys(wanted.labels), annotations: Object.keys(wanted.annotations) }
  const hasExported = exported.labels.length + exported.annotations.length > 0
  const derived = spec.type === 'Headless' ? undefined : derivedServiceName(namespace, name)
  return {
    labels: {
      ...omit(labels, (name) => before.labels.includes(name)),
      ...wanted.labels,
      [LABEL_CLUSTER_SET]: set,
    },
    annotations: {
      ...omit(annotations, (name) => [...before.annotations, ...OWN_ANNOTATIONS].includes(name)),
      ...wanted.annotations,
      [ANNOTATION_WRITER]: writer,
      ...(derived !== undefined && { [ANNOTATION_DERIVED_SERVICE]: derived }),
      ...(hasExported && { [ANNOTATION_EXPORTED]: JSON.stringify(exported) }),
      ...(Object.keys(portsOf).length > 1 && { [ANNOTATION_EXPORTED_PORTS]: JSON.stringify(portsOf) }),
      ...(policy && { [ANNOTATION_FLEET_POLICY]: fleetPolicyText(policy) }),
    },
  }
}

/**
 * Reads the note of exported labels and annotations. A note that is not of our form counts as empty: what was
 * exported before then stays.
 */
function exportedBefore(note: string | undefined) {
  const { labels, annotations } = recordOf(parseJson(note ?? ''))
  return { labels: namesIn(labels), annotations: namesIn(annotations) }
}

const namesIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []

/** Returns a spec without the fields that may be left out or have the API's default. */
const canonical = ({ ports = [], ips = [], ...spec }: Partial<ServiceImportSpec> = {}): unknown => ({
  type: spec.type,
  ports: ports.map(({ name = '', protocol = 'TCP', ...port }) => [
    name,
    protocol,
    port.appProtocol,
    port.port,
  ]),
  ips,
  ipFamilies: spec.ipFamilies ?? [],
  sessionAffinity: spec.sessionAffinity ?? 'None',
  sessionAffinityConfig: spec.sessionAffinityConfig,
  internalTrafficPolicy: spec.internalTrafficPolicy ?? 'Cluster',
  trafficDistribution: spec.trafficDistribution,
  clusterSelectors: spec.clusterSelectors,
})

const portsOfSchema = record(v.string(), v.array(finite()))

/** Returns the ports that some clusters had in an import; without a valid note, all may be theirs. */
export function portsBefore(
  { metadata, spec }: ServiceImport,
  clusters: ReadonlySet<string>,
): readonly ImportPort[] {
  const ports = spec?.ports ?? []
  const note = parseJson(metadata?.annotations?.[ANNOTATION_EXPORTED_PORTS] ?? '')
  const { data: noted } = safeParse(portsOfSchema, note)
  if (noted === undefined) return ports
  const own = new Set([...clusters].flatMap((cluster) => noted[cluster] ?? []))
  return ports.filter((_, position) => own.has(position))
}

/** Returns what was imported the last time, without addresses; undefined where nothing is. */
export function importedBefore({
  metadata,
  spec,
}: ServiceImport): Omit<MergedService, 'clusters'> | undefined {
  if (spec === undefined) return undefined
  const { ips: _, ipFamilies: __, clusterSelectors: sent, ...merged } = spec
  const selectors = readClusterSelectors(sent)
  const exported = exportedBefore(metadata?.annotations?.[ANNOTATION_EXPORTED])
  // An edited policy that cannot be read does not count: the right one comes back with the exports.
  const policy = readFleetPolicy(metadata?.annotations?.[ANNOTATION_FLEET_POLICY], () => undefined)
  return {
    spec: { ...merged, clusterSelectors: Array.isArray(selectors) ? selectors : undefined },
    policy,
    labels: omit(metadata?.labels, (name) => !exported.labels.includes(name)),
    annotations: omit(metadata?.annotations, (name) => !exported.annotations.includes(name)),
  }
}
