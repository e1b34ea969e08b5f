import { describeEndToEnd } from '../end-to-end/suite.ts'
import { startRealCluster } from './end-to-end-cluster.ts'

describeEndToEnd('kube-apiserver', startRealCluster)
