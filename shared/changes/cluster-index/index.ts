export {
  type ClusterIndex,
  type CrossClusterSelectors,
  createClusterIndex,
  createCrossClusterSelectors,
} from './cluster-index.ts'
export type { KindIndex } from './kind-index.ts'
export { KINDS, type Kind, type KindName, kindNamed, kindsOf, type Scope } from './kinds.ts'
