// Names that Kubernetes defines for EndpointSlices (k8s.io/api/discovery/v1 and core/v1,
// well_known_labels.go).

/** Label of a slice: the Service that it is of. */
export const LABEL_SERVICE_NAME = 'kubernetes.io/service-name'
/** Label of a slice: the EndpointSelector that it is of (KEP-6116). */
export const LABEL_ENDPOINT_SELECTOR_NAME = 'kubernetes.io/endpoint-selector-name'
/** Label of a slice: its manager, by the setting `managedBy`. Others' slices are never written or deleted. */
export const LABEL_MANAGED_BY = 'endpointslice.kubernetes.io/managed-by'
/** Label on the slices of a Service without a cluster IP. */
export const LABEL_HEADLESS = 'service.kubernetes.io/headless'
/** Label of a Node: its zone, which endpoints of its Pods and hints are made of. */
export const LABEL_ZONE = 'topology.kubernetes.io/zone'
/** Annotation of a slice: the time of the change that it shows, RFC 3339. */
export const ANNOTATION_TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time'
/** Annotation of a Service: `Auto` asks for hints by CPU. */
export const ANNOTATION_TOPOLOGY_MODE = 'service.kubernetes.io/topology-mode'
/** Older name of that annotation of a Service. */
export const ANNOTATION_TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints'
/** Label of Endpoints: `true` keeps them from being mirrored into slices. */
export const LABEL_SKIP_MIRROR = 'endpointslice.kubernetes.io/skip-mirror'
/** Annotation of Endpoints that stand for a lock, which are never mirrored (client-go, resourcelock). */
export const ANNOTATION_LEADER_ELECTION = 'control-plane.alpha.kubernetes.io/leader'
/**
 * Value that kube-controller-manager's endpointslicemirroring-controller puts into the managed-by label
 * (pkg/controller/endpointslicemirroring, ControllerName).
 */
export const MIRRORING_CONTROLLER = 'endpointslicemirroring-controller.k8s.io'
/**
 * Value that kube-controller-manager's endpointslice-controller puts into the managed-by label
 * (k8s.io/endpointslice, controllerName).
 */
export const IN_TREE_CONTROLLER = 'endpointslice-controller.k8s.io'
