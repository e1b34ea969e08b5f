/** Annotation of a Service without a selector: its pods, in the form that `kubectl -l` takes. */
export const ANNOTATION_SELECTOR = 'sliceflow.dev/selector'
/** Annotation beside a selector: their cluster, by its name in Sliceflow, or several with commas. */
export const ANNOTATION_CLUSTER = 'sliceflow.dev/cluster'
/** Annotation beside clusters: the namespace of the pods in them. Default: the Service's. */
export const ANNOTATION_NAMESPACE = 'sliceflow.dev/namespace'
/** Annotation beside a selector: the network whose addresses are published, `namespace/name` or `name`. */
export const ANNOTATION_NETWORK = 'sliceflow.dev/network'
/** Instead of a selector: these addresses, separated by commas. */
export const ANNOTATION_ADDRESSES = 'sliceflow.dev/addresses'

/**
 * Annotation of a Service or ServiceImport whose plan is held: lets it go on. Its value is that of the
 * annotation sliceflow.dev/held-since of its slice.
 */
export const ANNOTATION_RELEASE = 'sliceflow.dev/release'

/** Annotation of a Service: nothing is written for it, its slices stay. `true`, or since when (RFC 3339). */
export const ANNOTATION_PAUSED = 'sliceflow.dev/paused'
/**
 * Annotation of a Service or ServiceImport: how many ready endpoints a plan may remove without being held, as
 * a share (`50%` or `0.5`) or as a count. It replaces the setting `maximumRemoval`.
 */
export const ANNOTATION_MAXIMUM_REMOVAL = 'sliceflow.dev/maximum-removal'
/** Annotation of a Service or ServiceImport: how its slices are packed. It replaces the setting `packing`. */
export const ANNOTATION_PACKING = 'sliceflow.dev/packing'

/** Every annotation that replaces a setting for one Service. */
export const OVERRIDE_ANNOTATIONS = [ANNOTATION_MAXIMUM_REMOVAL, ANNOTATION_PACKING] as const

/** Prefix of the annotations that Sliceflow writes or reads; nothing else may put any of them onto slices. */
const OWN_PREFIX = 'sliceflow.dev/'

/** Reports whether an annotation is one of Sliceflow's. */
export const isOwnAnnotation = (name: string): boolean => name.startsWith(OWN_PREFIX)
