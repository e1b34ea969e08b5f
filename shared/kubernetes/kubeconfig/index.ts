export { contextNames, type KubeconfigFiles, loadClusters, loadUsableClusters } from './kubeconfig.ts'
