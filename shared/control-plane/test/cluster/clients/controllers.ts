/**
 * Controllers of kube-controller-manager whose work the transcripts show. The embedded control plane has its
 * own.
 */
export const CONTROLLERS: readonly string[] = [
  'namespace-controller',
  'garbage-collector-controller',
  'serviceaccount-controller',
  'root-ca-certificate-publisher-controller',
  'resourcequota-controller',
  'clusterrole-aggregation-controller',
]
