import { ADDRESSES } from './addresses.ts'
import { NETWORKS } from './networks.ts'
import { PODS_SOURCE } from './pods.ts'
import { REMOTE_PODS } from './remote-pods.ts'
import type { Source } from './source.ts'

/** Endpoints that somebody wrote, as the in-tree mirroring controller reads them. */
const MIRRORED_ENDPOINTS = {
  name: 'endpoints',
  summary: 'hand-written Endpoints of the name of a Service without a selector, mirrored into slices',
  annotations: {},
  enabledBy: 'mirrorEndpoints',
  kinds: ['endpoints'],
  explained: { kind: 'Endpoints', endpoints: 'those of the Endpoints of its name' },
} as const satisfies Source

/** Services that clusters of a set export; shared/fleet follows their slices and writes the imports. */
const EXPORTS = {
  name: 'exports',
  summary: 'the endpoints of a Service that clusters of a set export (ServiceExport), for its ServiceImport',
  annotations: {},
  enabledBy: 'clusterSets',
} as const satisfies Source

/** Every source of endpoints, in the order in which lists show them. A new one only needs an entry. */
export const SOURCES: readonly Source[] = [
  PODS_SOURCE,
  REMOTE_PODS,
  NETWORKS,
  ADDRESSES,
  MIRRORED_ENDPOINTS,
  EXPORTS,
]
