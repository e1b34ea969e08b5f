// Names that Kubernetes defines for EndpointSlices (k8s.io/api/discovery/v1 and core/v1,
// well_known_labels.go).

/** On a slice: the Service that it is of. */
export const LABEL_SERVICE_NAME = 'kubernetes.io/service-name'
/**
 * On a slice: whose it is, the setting `managedBy`. Slices with another value are never written or deleted.
 */
export const LABEL_MANAGED_BY = 'endpointslice.kubernetes.io/managed-by'
/** On the slices of a Service without a cluster IP. */
export const LABEL_HEADLESS = 'service.kubernetes.io/headless'
/** On a Node: its zone, which endpoints of its Pods and hints are made of. */
export const LABEL_ZONE = 'topology.kubernetes.io/zone'
/** On a slice: when the change happened that it shows, RFC 3339. */
export const ANNOTATION_TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time'
/** On a Service: `Auto` asks for hints by CPU. */
export const ANNOTATION_TOPOLOGY_MODE = 'service.kubernetes.io/topology-mode'
/** On a Service: the older name of that annotation. */
export const ANNOTATION_TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints'
/**
 * What kube-controller-manager's endpointslice-controller puts into the managed-by label
 * (k8s.io/endpointslice, controllerName).
 */
export const IN_TREE_CONTROLLER = 'endpointslice-controller.k8s.io'
