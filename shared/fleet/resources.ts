import type { ObjectMeta, Service, ServicePort } from '../endpointslice/index.ts'
import type { EXPRESSION_OPERATORS, Resource } from '../kubernetes/index.ts'

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
    /** Which clusters an importing cluster prefers, the first choice first (KEP-5939). */
    clusterSelectors?: ClusterSelector[]
  }
  status?: {
    conditions?: Condition[]
    /** Clusters that import it, of an export that is for some clusters alone. */
    clusters?: { cluster: string }[]
  }
}

/** Selectors of an export at most (KEP-5939). */
export const MAX_SELECTORS = 16
/** Requirements of one selector, and values of one of them, at most; the KEP names no limit. */
export const MAX_REQUIREMENTS = 32

/** Selects clusters by their properties (KEP-5939). The map and the list of expressions are ANDed. */
export interface ClusterSelector {
  propertySelector: {
    matchProperties?: Record<string, string>
    matchExpressions?: PropertyExpression[]
  }
}

export interface PropertyExpression {
  key: string
  operator: keyof typeof EXPRESSION_OPERATORS
  values?: string[]
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
  /** With the importing cluster's own properties in the place of `@SameAsImporter@`. */
  clusterSelectors?: ClusterSelector[]
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
    /** Clusters that each of the selectors selects, in their order; none where `clusters` is absent. */
    clusterSelectorResults?: { clusters?: string[] }[]
  }
}

/** The group of the About API (KEP-2149). */
const ABOUT_GROUP = 'about.k8s.io'
export const ABOUT_VERSIONS = ['v1', 'v1beta1', 'v1alpha1'] as const
type AboutVersion = (typeof ABOUT_VERSIONS)[number]

/** A fact about the cluster that it is in. */
export interface ClusterProperty {
  metadata?: ObjectMeta
  spec?: { value?: string }
}

export const clusterProperties = (version: AboutVersion): Resource<ClusterProperty> => ({
  group: ABOUT_GROUP,
  version,
  plural: 'clusterproperties',
  kind: 'ClusterProperty',
  namespaced: false,
})

const mcsResource = <T extends ServiceExport | ServiceImport>(
  version: McsVersion,
  plural: string,
  kind: string,
): Resource<T> => ({ group: MCS_GROUP, version, plural, kind, namespaced: true })

export const serviceExports = (version: McsVersion): Resource<ServiceExport> =>
  mcsResource(version, 'serviceexports', 'ServiceExport')
export const serviceImports = (version: McsVersion): Resource<ServiceImport> =>
  mcsResource(version, 'serviceimports', 'ServiceImport')
