/** Names that Kubernetes defines for EndpointSlices (k8s.io/api/discovery/v1 and core/v1, well_known_labels.go). */
export const LABEL_SERVICE_NAME = 'kubernetes.io/service-name'
export const LABEL_MANAGED_BY = 'endpointslice.kubernetes.io/managed-by'
export const LABEL_HEADLESS = 'service.kubernetes.io/headless'
export const LABEL_ZONE = 'topology.kubernetes.io/zone'
export const ANNOTATION_TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time'
export const ANNOTATION_TOPOLOGY_MODE = 'service.kubernetes.io/topology-mode'
export const ANNOTATION_TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints'
/** What kube-controller-manager's endpointslice-controller puts into the managed-by label (k8s.io/endpointslice, controllerName). */
export const IN_TREE_CONTROLLER = 'endpointslice-controller.k8s.io'
