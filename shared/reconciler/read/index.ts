export {
  type ClusterCallLimits,
  type ClusterCallLimitsOptions,
  limitClusterCalls,
} from './cluster-call-limits.ts'
export {
  type EndpointPart,
  isRead,
  isUnread,
  LABEL_ENDPOINTS_CLUSTER,
  mapParts,
  type PodsAndNodes,
  partSlices,
  podsOfParts,
  type ReadPart,
  type UnreadPart,
} from './endpoint-parts.ts'
export { createLongListLimit } from './long-list-limit.ts'
export { createNodeReader, type NodeReader, type NodesKnowledge, nodesOf } from './node-reader.ts'
export { withoutAddresses } from './pod-addresses.ts'
export { createPodReader, type EndpointReaderOptions, type Managed } from './pod-reader.ts'
export { AheadReads } from './read-ahead.ts'
export { minimumResourceVersion, readNotOlderThan, readObject } from './read-object.ts'
export {
  apisOf,
  foreignSlicesOf,
  isNativeSelector,
  listSelectors,
  OwnerReader,
  selectorAsService,
} from './read-owner.ts'
export { type ReadableCluster, UnknownClusterError } from './readable-cluster.ts'
