import { isDeepStrictEqual } from 'node:util'
import type { OwnerReference, Service, ServicePort } from '../../endpointslice/index.ts'
import { derivedServiceName, IMPORT_OWNER } from '../import-owner.ts'
import type { ImportPort, ServiceImport, ServiceImportSpec } from '../resources.ts'
import { LABEL_CLUSTER_SET, LABEL_IMPORT_NAME } from '../well-known.ts'

/** Returns the owner that objects of a ServiceImport name (KEP-1645): they go when it goes. */
export const ownedBy = ({ apiVersion, metadata = {} }: ServiceImport): OwnerReference =>
  IMPORT_OWNER.referenceTo(metadata, apiVersion)

/** Fields of an import that kube-proxy needs, but its addresses. */
type ProxiedSpec = Pick<
  ServiceImportSpec,
  'ports' | 'sessionAffinity' | 'sessionAffinityConfig' | 'internalTrafficPolicy' | 'trafficDistribution'
>

/** Makes the derived Service of an import, without a selector: its endpoints are the imported slices. */
export function derivedServiceOf(set: string, owner: ServiceImport, spec: ProxiedSpec): Service {
  const { namespace = '', name = '' } = owner.metadata ?? {}
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: derivedServiceName(namespace, name),
      namespace,
      labels: { [LABEL_IMPORT_NAME]: name, [LABEL_CLUSTER_SET]: set },
      ownerReferences: [ownedBy(owner)],
    },
    spec: { type: 'ClusterIP', ipFamilyPolicy: 'PreferDualStack', ...proxied(spec) },
  }
}

/**
 * Returns it as Kubernetes 1.33 accepts it, which knows `PreferClose` alone. `PreferSameZone` means the same,
 * and `PreferSameNode` means it where the node has no endpoint. undefined where there is nothing to replace.
 */
export function olderDistribution(service: Service): Service | undefined {
  const { trafficDistribution } = service.spec ?? {}
  if (trafficDistribution === undefined || trafficDistribution === 'PreferClose') return undefined
  return { ...service, spec: { ...service.spec, trafficDistribution: 'PreferClose' } }
}

/** Labels that make kube-proxy ignore a Service. */
const UNPROXIED_LABELS: readonly string[] = [
  'service.kubernetes.io/service-proxy-name',
  'service.kubernetes.io/headless',
]
/** Annotations that would select other endpoints for a Service. */
const OWN_ANNOTATION_PREFIX = 'sliceflow.dev/'

/**
 * Reports whether a derived Service must be made again. It cannot become one with an address while it is
 * headless. A selector has let controllers of the cluster add endpoints, which go only with the Service.
 */
export const mustBeReplaced = ({ spec }: Service): boolean =>
  spec?.clusterIP === 'None' || Object.keys(spec?.selector ?? {}).length > 0

/**
 * Returns the next version of a derived Service; undefined where nothing changes. Labels, annotations and
 * owners that others added stay unless they change where traffic goes; of its spec only addresses stay.
 */
export function derivedServiceUpdate(existing: Service, wanted: Service): Service | undefined {
  const { metadata = {}, spec: { clusterIP, clusterIPs, ipFamilies, ...spec } = {} } = existing
  const labels = { ...omit(metadata.labels, isUnproxied), ...wanted.metadata?.labels }
  const annotations = omit(metadata.annotations, isOwnAnnotation)
  const owners = wanted.metadata?.ownerReferences
  const isSame =
    isDeepStrictEqual(canonical(spec), canonical(wanted.spec)) &&
    isDeepStrictEqual(metadata.labels, labels) &&
    isDeepStrictEqual(metadata.annotations ?? {}, annotations) &&
    isOwnedBy(existing, owners?.[0])
  if (isSame) return undefined
  return {
    ...existing,
    metadata: { ...metadata, labels, annotations, ownerReferences: owners ?? [] },
    spec: {
      // An ExternalName has none, and gets new ones.
      ...(clusterIP && { clusterIP, ...(clusterIPs && { clusterIPs }), ...(ipFamilies && { ipFamilies }) }),
      ...wanted.spec,
    },
  }
}

const isUnproxied = (name: string): boolean => UNPROXIED_LABELS.includes(name)
const isOwnAnnotation = (name: string): boolean => name.startsWith(OWN_ANNOTATION_PREFIX)

/** Returns the labels or annotations whose names are not left out. */
export const omit = (
  all: Readonly<Record<string, string>> = {},
  isOmitted: (name: string) => boolean,
): Record<string, string> => Object.fromEntries(Object.entries(all).filter(([name]) => !isOmitted(name)))

/** Reports whether an object names this owner, by its uid. */
export const isOwnedBy = (
  { metadata }: Pick<Service, 'metadata'>,
  owner: { readonly uid?: string } | undefined,
): boolean =>
  (owner?.uid ?? '') !== '' && (metadata?.ownerReferences ?? []).some(({ uid }) => uid === owner?.uid)

const proxied = ({
  ports = [],
  sessionAffinity = 'None',
  sessionAffinityConfig,
  internalTrafficPolicy = 'Cluster',
  trafficDistribution,
}: Partial<ProxiedSpec>): NonNullable<Service['spec']> => ({
  ports: ports.map(portOf),
  sessionAffinity,
  sessionAffinityConfig,
  internalTrafficPolicy,
  trafficDistribution,
})

/** Returns a port without the fields that the API server adds, such as a targetPort. */
const portOf = ({ name, protocol = 'TCP', appProtocol, port }: ImportPort): ServicePort => ({
  name: name || undefined,
  protocol,
  appProtocol,
  port,
})

/** Returns everything of a spec that decides where traffic goes, but the addresses. */
const canonical = (spec: Service['spec'] = {}): unknown => ({
  ...proxied(spec),
  type: spec.type ?? 'ClusterIP',
  ipFamilyPolicy: spec.ipFamilyPolicy,
  externalName: spec.externalName || undefined,
  externalIPs: spec.externalIPs?.length ? spec.externalIPs : undefined,
  publishNotReadyAddresses: spec.publishNotReadyAddresses === true,
})
