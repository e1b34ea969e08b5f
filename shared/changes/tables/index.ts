export { knownTime, knownVersion, type NodeDigest, readyTransitionTime, serviceDigest } from './digests.ts'
export { createEndpointsTable, type EndpointsTable } from './endpoints-table.ts'
export { createNodeTable, type NodeTable } from './node-table.ts'
export {
  createForeignSliceTable,
  type ForeignSlice,
  joinOwnerTables,
  type OwnerTable,
  type OwnerTables,
} from './owner-table.ts'
export {
  factsOfDigest,
  isDeferrable,
  NO_ENDPOINT,
  namedPorts,
  type PodTraffic,
  parsePorts,
  podDigest,
  podOfDigest,
  podOfFacts,
  podTraffic,
} from './pod-facts.ts'
export { type MatchedContent, matchedPods, type PodEntry } from './pod-matches.ts'
export { createPodTable, type PodTable } from './pod-table.ts'
export { createLabelPool, createPool } from './pool.ts'
export { createSelectorsByCluster, type SelectorsByCluster } from './selector-index.ts'
export {
  createServiceTable,
  type ServiceEntry,
  type ServiceTable,
  textOfEntry,
} from './service-table.ts'
export { createSetMap } from './set-map.ts'
export { createSliceTable, NO_SERVICE, type SliceEntry, type SliceTable } from './slice-table.ts'
export { parseSliceText } from './slice-text.ts'
