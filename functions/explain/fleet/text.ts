/** Words for a cluster that lacks the definitions. */
export const NOT_SERVED =
  'it does not serve the API multicluster.x-k8s.io (sliceflow fleet crds prints its definitions)'
