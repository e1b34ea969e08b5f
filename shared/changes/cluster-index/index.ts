export {
  type ClusterIndex,
  type CrossClusterSelectors,
  createClusterIndex,
  createCrossClusterSelectors,
  type IndexOptions,
} from './cluster-index.ts'
export type { HintSettings } from './hints.ts'
export type { KindIndex } from './kind-index.ts'
export { KINDS, type Kind, type KindName, kindNamed, kindsOf, type Scope } from './kinds.ts'
