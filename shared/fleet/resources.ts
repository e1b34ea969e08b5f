import type { ObjectMeta, Service, ServicePort } from '../endpointslice/index.ts'
import type { Resource } from '../kubernetes/index.ts'

/** The group of the Multi-Cluster Services API (KEP-1645). */
export const MCS_GROUP = 'multicluster.x-k8s.io'
/** Served versions that are understood, the wanted one first; their schemas are the same (mcs-api v0.5). */
export const MCS_VERSIONS = ['v1beta1', 'v1alpha1'] as const
export type McsVersion = (typeof MCS_VERSIONS)[number]

/** Condition of an object, as metav1.Condition. */
export interface Condition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  observedGeneration?: number
  lastTransitionTime: string
  reason: string
  message: string
}

export interface ServiceExport {
  apiVersion?: string
  kind?: string
  metadata?: ObjectMeta
  spec?: {
    /** Labels and annotations of the ServiceImport; those of the Service itself are never copied. */
    exportedLabels?: Record<string, string>
    exportedAnnotations?: Record<string, string>
  }
  status?: { conditions?: Condition[] }
}

export type ImportType = 'ClusterSetIP' | 'Headless'

/** A port of a ServiceImport; it has no targetPort. */
export type ImportPort = Pick<ServicePort, 'name' | 'protocol' | 'appProtocol' | 'port'>

type ServiceSpec = NonNullable<Service['spec']>

export interface ServiceImportSpec
  extends Pick<ServiceSpec, 'sessionAffinity' | 'sessionAffinityConfig' | 'ipFamilies'> {
  type: ImportType
  ports: ImportPort[]
  /** One a family, in the order of `ipFamilies`; none of a headless one. */
  ips?: string[]
  internalTrafficPolicy?: ServiceSpec['internalTrafficPolicy']
  trafficDistribution?: ServiceSpec['trafficDistribution']
}

export interface ServiceImport {
  apiVersion?: string
  kind?: string
  metadata?: ObjectMeta
  spec?: ServiceImportSpec
  status?: {
    clusters?: { cluster: string }[]
    conditions?: Condition[]
    /** Whether the imported slices exist as objects. */
    endpointSliceObjects?: 'Present' | 'Absent'
  }
}

const mcsResource = <T extends ServiceExport | ServiceImport>(
  version: McsVersion,
  plural: string,
  kind: string,
): Resource<T> => ({ group: MCS_GROUP, version, plural, kind, namespaced: true })

export const serviceExports = (version: McsVersion): Resource<ServiceExport> =>
  mcsResource(version, 'serviceexports', 'ServiceExport')
export const serviceImports = (version: McsVersion): Resource<ServiceImport> =>
  mcsResource(version, 'serviceimports', 'ServiceImport')
