/** The ServiceImport that an imported slice, and the derived Service, belong to. */
export const LABEL_IMPORT_NAME = 'multicluster.kubernetes.io/service-name'
/** The cluster that the endpoints of an imported slice are in, by its id in the cluster set. */
export const LABEL_SOURCE_CLUSTER = 'multicluster.kubernetes.io/source-cluster'
/** Annotation of a ServiceImport that names its derived Service. */
export const ANNOTATION_DERIVED_SERVICE = 'multicluster.kubernetes.io/derived-service'
/** Names the exported labels and annotations of a ServiceImport, so that they can go with the export. */
export const ANNOTATION_EXPORTED = 'sliceflow.dev/exported'
/**
 * Annotation of a ServiceImport that several clusters export: the positions of each one's ports in its spec,
 * in JSON such as `{"eu":[0],"us":[0,1]}`. They stay while that cluster cannot be read.
 */
export const ANNOTATION_EXPORTED_PORTS = 'sliceflow.dev/exported-ports'
/**
 * Annotation of a ServiceImport: the Sliceflow that wrote it last, by the name that ends the seals of its
 * slices. By it two that disagree notice each other where an import has no slices.
 */
export const ANNOTATION_WRITER = 'sliceflow.dev/writer'
/**
 * Annotation of a ServiceExport: the policy of the import, in JSON such as `{"prefer":"own"}`. That of the
 * oldest export counts, and stands with its defaults on each ServiceImport.
 */
export const ANNOTATION_FLEET_POLICY = 'sliceflow.dev/fleet-policy'
/**
 * Annotation of a ServiceExport: the clusters that it is for beside its own, as ids or patterns with `*`
 * between commas, such as `eu-*,us-1`. Default: all of the set.
 */
export const ANNOTATION_EXPORT_TO = 'sliceflow.dev/export-to'
/**
 * Annotation of a ServiceExport: `EndpointSelector` exports the EndpointSelector of its name in place of the
 * Service. Default: Service.
 */
export const ANNOTATION_EXPORT_KIND = 'sliceflow.dev/export-kind'
/** Marks the ServiceImports and derived Services of a cluster set: those without it are never touched. */
export const LABEL_CLUSTER_SET = 'sliceflow.dev/cluster-set'
/** Condition of a ServiceImport that names unreachable clusters that gave endpoints; absent without one. */
export const CONDITION_UNREACHABLE = 'sliceflow.dev/UnreachableClusters'
