export {
  type ClusterIndex,
  createClusterIndex,
  createFleet,
  type Fleet,
  type IndexOptions,
} from './cluster-index.ts'
export type { HintSettings } from './hints.ts'
export type { KindIndex } from './kind-index.ts'
