export { contextNames, type KubeconfigFiles, loadClusters } from './kubeconfig.ts'
