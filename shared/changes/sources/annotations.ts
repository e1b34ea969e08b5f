/** Annotation of a Service without a selector: its pods, in the form that `kubectl -l` takes. */
export const ANNOTATION_SELECTOR = 'sliceflow.dev/selector'
/**
 * Annotation beside a selector: the cluster of the pods, by the name that it has in Sliceflow, or several
 * with commas.
 */
export const ANNOTATION_CLUSTER = 'sliceflow.dev/cluster'
/** Annotation beside clusters: the namespace of the pods in them. Default: the Service's. */
export const ANNOTATION_NAMESPACE = 'sliceflow.dev/namespace'
/**
 * Annotation beside a selector: the network on which the pods' addresses are published, `namespace/name` or
 * `name`.
 */
export const ANNOTATION_NETWORK = 'sliceflow.dev/network'
/** Instead of a selector: these addresses, separated by commas. */
export const ANNOTATION_ADDRESSES = 'sliceflow.dev/addresses'

/**
 * Annotation of a Service or ServiceImport whose plan is held: lets it go on. Its value is that of the
 * annotation sliceflow.dev/held-since of its slice.
 */
export const ANNOTATION_RELEASE = 'sliceflow.dev/release'

/**
 * Annotation of a Service: nothing is written for it, and what is published stays. `true`, or since when, in
 * RFC 3339.
 */
export const ANNOTATION_PAUSED = 'sliceflow.dev/paused'
/**
 * Annotation of a Service or ServiceImport: how many ready endpoints a plan may remove without being held, as
 * a share (`50%` or `0.5`) or as a count. It replaces the setting `maximumRemoval`.
 */
export const ANNOTATION_MAXIMUM_REMOVAL = 'sliceflow.dev/maximum-removal'
/** Annotation of a Service or ServiceImport: how its slices are packed. It replaces the setting `packing`. */
export const ANNOTATION_PACKING = 'sliceflow.dev/packing'

/** Every annotation that says what a Service's endpoints are. */
export const SELECTION_ANNOTATIONS = [
  ANNOTATION_SELECTOR,
  ANNOTATION_CLUSTER,
  ANNOTATION_NAMESPACE,
  ANNOTATION_NETWORK,
  ANNOTATION_ADDRESSES,
] as const

/** Every annotation that replaces a setting for one Service. */
export const OVERRIDE_ANNOTATIONS = [ANNOTATION_MAXIMUM_REMOVAL, ANNOTATION_PACKING] as const

/** Reports whether one of the annotations is there that ask for endpoints in `custom` mode. */
export const asksForEndpoints = (annotations: Readonly<Record<string, string>> | undefined): boolean =>
  annotations !== undefined && (ANNOTATION_SELECTOR in annotations || ANNOTATION_ADDRESSES in annotations)

/** Prefix of the annotations that Sliceflow writes or reads; nothing else may put any of them onto slices. */
const OWN_PREFIX = 'sliceflow.dev/'

/** Reports whether an annotation is one of Sliceflow's. */
export const isOwnAnnotation = (name: string): boolean => name.startsWith(OWN_PREFIX)

export type SelectionAnnotation = (typeof SELECTION_ANNOTATIONS)[number]

/**
 * Characters at most. An API server allows 262,144 in all annotations of an object: a user who may annotate a
 * Service could make a relay parse and keep that for each, and compare every pod of the namespace with it.
 */
export const MAX_ANNOTATION_LENGTH: Readonly<Record<SelectionAnnotation, number>> = {
  [ANNOTATION_SELECTOR]: 4096,
  // As in a message.
  [ANNOTATION_CLUSTER]: 512,
  [ANNOTATION_NAMESPACE]: 63,
  // A namespace, a slash and a DNS subdomain.
  [ANNOTATION_NETWORK]: 317,
  // Some 1,000 IPv4 addresses.
  [ANNOTATION_ADDRESSES]: 16_384,
}

/** Clusters of one Service at most: each sync reads the pods in all of them. */
export const MAX_CLUSTERS = 20

/** Requirements and values in sets at most: each pod that changes is compared with every one of them. */
export const MAX_SELECTOR_TERMS = 100
