import { isDeepStrictEqual } from 'node:util'
import type { OwnerReference, Service, ServicePort } from '../endpointslice/index.ts'
import { derivedServiceName } from './derived-name.ts'
import type { ImportPort, ServiceImport, ServiceImportSpec } from './resources.ts'
import { MCS_GROUP } from './resources.ts'
import { LABEL_CLUSTER_SET, LABEL_IMPORT_NAME } from './well-known.ts'

/** Returns the owner that objects of a ServiceImport name (KEP-1645): they go when it goes. */
export const ownedBy = ({ apiVersion, metadata }: ServiceImport): OwnerReference => ({
  apiVersion: apiVersion ?? `${MCS_GROUP}/v1beta1`,
  kind: 'ServiceImport',
  name: metadata?.name ?? '',
  uid: metadata?.uid ?? '',
  controller: false,
})

/** Fields of an import that kube-proxy needs, but its addresses. */
type ProxiedSpec = Pick<
  ServiceImportSpec,
  'ports' | 'sessionAffinity' | 'sessionAffinityConfig' | 'internalTrafficPolicy' | 'trafficDistribution'
>

/**
 * Makes the derived Service of an import: it has no selector, its endpoints are the imported slices, and
 * kube-proxy does the rest.
 */
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
 * Returns the next version of a derived Service; undefined where nothing changes. Fields that others added or
 * that the API server gave it stay.
 */
export function derivedServiceUpdate(existing: Service, wanted: Service): Service | undefined {
  const labels = { ...existing.metadata?.labels, ...wanted.metadata?.labels }
  const owners = wanted.metadata?.ownerReferences
  const isSame =
    isDeepStrictEqual(canonical(existing.spec), canonical(wanted.spec)) &&
    isDeepStrictEqual(existing.metadata?.labels, labels) &&
    existing.metadata?.ownerReferences?.some(({ uid }) => uid === owners?.[0]?.uid)
  if (isSame) return undefined
  const { sessionAffinityConfig: _, trafficDistribution: __, ...kept } = existing.spec ?? {}
  return {
    ...existing,
    metadata: { ...existing.metadata, labels, ownerReferences: owners ?? [] },
    spec: { ...kept, ...proxied(wanted.spec ?? {}) },
  }
}

const proxied = ({
  ports = [],
  sessionAffinity = 'None',
  sessionAffinityConfig,
  internalTrafficPolicy = 'Cluster',
  trafficDistribution,
}: Partial<ProxiedSpec>): NonNullable<Service['spec']> => ({
  ports: ports.map(portOf),
  sessionAffinity,
  ...(sessionAffinityConfig && { sessionAffinityConfig }),
  internalTrafficPolicy,
  ...(trafficDistribution !== undefined && { trafficDistribution }),
})

/** Returns a port without the fields that the API server adds, such as a targetPort. */
const portOf = ({ name, protocol = 'TCP', appProtocol, port }: ImportPort): ServicePort => ({
  ...(name && { name }),
  protocol,
  ...(appProtocol !== undefined && { appProtocol }),
  port,
})

const canonical = (spec: Service['spec'] = {}): unknown => ({ ...proxied(spec), selector: spec.selector })
