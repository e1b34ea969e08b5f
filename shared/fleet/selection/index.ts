export {
  type Properties,
  readClusterSelectors,
  resolveSelectors,
  selectClusters,
  selectedKeys,
} from './cluster-selectors.ts'
export { readProperties } from './read-properties.ts'
