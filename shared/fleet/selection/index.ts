export {
  type Properties,
  readClusterSelectors,
  readProperties,
  resolveSelectors,
  selectClusters,
  selectedKeys,
} from './cluster-selectors.ts'
